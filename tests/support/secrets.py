"""Made-up secrets of every kind, put together at run time.

No whole secret stands in this file: heads and bodies are joined when a test asks,
so that scanners of the repository find nothing. Bodies come from a fixed sequence,
so that every run sees the same text.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass

UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
LOWER = "abcdefghijklmnopqrstuvwxyz0123456789"
MIXED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
HEX = "0123456789abcdef"


@dataclass(frozen=True, slots=True)
class Secret:
    """One secret: `text` as it is met, `secret` the part of it that must never be seen again."""

    name: str
    text: str
    secret: str


def body(seed: int, alphabet: str, size: int) -> str:
    """Return characters that look random and are always the same, with at least one digit."""
    state = seed * 2_654_435_761 % 2**32 or 1
    chars = []
    for _ in range(size):
        state = (state * 1_103_515_245 + 12_345) % 2**31
        chars.append(alphabet[(state >> 12) % len(alphabet)])
    if size > 4:
        digits = [char for char in alphabet if char.isdigit()]
        chars[3] = digits[seed % len(digits)]
    return "".join(chars)


def _uuid(seed: int) -> str:
    text = body(seed, HEX, 32)
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def _tokens() -> list[Secret]:
    """Return the secrets that are known by how they begin."""
    rows = (
        ("aws access key", "AK" + "IA", UPPER, 16),
        ("aws temporary key", "AS" + "IA", UPPER, 16),
        ("gcp api key", "AI" + "za", MIXED, 35),
        ("gcp oauth token", "ya" + "29.", MIXED, 60),
        ("gcp oauth client secret", "GOC" + "SPX-", MIXED, 28),
        ("gcp refresh token", "1/" + "/0", MIXED, 60),
        ("github personal token", "gh" + "p_", MIXED, 36),
        ("github oauth token", "gh" + "o_", MIXED, 36),
        ("github user token", "gh" + "u_", MIXED, 36),
        ("github server token", "gh" + "s_", MIXED, 36),
        ("github refresh token", "gh" + "r_", MIXED, 36),
        ("github fine-grained token", "github" + "_pat_", MIXED, 82),
        ("gitlab token", "gl" + "pat-", MIXED, 20),
        ("gitlab runner token", "gl" + "rt-", MIXED, 20),
        ("gitlab deploy token", "gl" + "dt-", MIXED, 20),
        ("bitbucket app password", "AT" + "BB", MIXED, 32),
        ("atlassian token", "ATA" + "TT3", MIXED, 180),
        ("slack bot token", "xo" + "xb-", LOWER, 40),
        ("slack user token", "xo" + "xp-", LOWER, 60),
        ("slack app token", "xa" + "pp-1-", LOWER, 60),
        ("stripe live key", "sk" + "_live_", MIXED, 24),
        ("stripe test key", "sk" + "_test_", MIXED, 24),
        ("stripe restricted key", "rk" + "_live_", MIXED, 24),
        ("stripe webhook secret", "wh" + "sec_", MIXED, 32),
        ("twilio api key", "S" + "K", HEX, 32),
        ("mailgun key", "key" + "-", HEX, 32),
        ("npm token", "np" + "m_", MIXED, 36),
        ("pypi token", "pypi" + "-AgEIcHlwaS5vcmc", MIXED, 80),
        ("rubygems key", "ruby" + "gems_", HEX, 48),
        ("cargo token", "ci" + "o", MIXED, 32),
        ("docker hub token", "dckr" + "_pat_", MIXED, 27),
        ("nuget key", "oy" + "2", LOWER, 43),
        ("heroku key", "HR" + "KU-", MIXED, 60),
        ("digitalocean token", "dop" + "_v1_", HEX, 64),
        ("fly token", "fm" + "2_", MIXED, 80),
        ("netlify token", "nf" + "p_", MIXED, 36),
        ("supabase key", "sb" + "p_", HEX, 40),
        ("planetscale password", "pscale" + "_pw_", MIXED, 43),
        ("new relic key", "NR" + "AK-", UPPER, 27),
        ("sentry token", "sntr" + "ys_", MIXED, 60),
        ("grafana service token", "gl" + "sa_", MIXED, 41),
        ("grafana cloud token", "gl" + "c_", MIXED, 60),
        ("linear key", "lin" + "_api_", MIXED, 40),
        ("notion token", "nt" + "n_", MIXED, 46),
        ("figma token", "fi" + "gd_", MIXED, 40),
        ("shopify token", "sh" + "pat_", HEX, 32),
        ("square token", "sq0" + "atp-", MIXED, 22),
        ("paypal token", "A2" + "1AA", MIXED, 90),
        ("openai key", "s" + "k-", MIXED, 48),
        ("openai project key", "sk-" + "proj-", MIXED, 120),
        ("anthropic key", "sk-" + "ant-api03-", MIXED, 95),
        ("openrouter key", "sk-" + "or-v1-", HEX, 64),
        ("hugging face token", "h" + "f_", MIXED, 34),
        ("replicate token", "r" + "8_", MIXED, 37),
        ("groq key", "gs" + "k_", MIXED, 52),
        ("xai key", "xa" + "i-", MIXED, 80),
        ("perplexity key", "pp" + "lx-", MIXED, 48),
        ("langsmith key", "lsv2" + "_pt_", HEX, 42),
        ("pinecone key", "pc" + "sk_", MIXED, 60),
        ("databricks token", "da" + "pi", HEX, 32),
        ("vault token", "hv" + "s.", MIXED, 90),
        ("vault batch token", "hv" + "b.", MIXED, 120),
        ("doppler token", "dp." + "pt.", MIXED, 43),
        ("pulumi token", "pu" + "l-", HEX, 40),
        ("tailscale key", "ts" + "key-auth-", MIXED, 30),
        ("postman key", "PM" + "AK-" + body(5, HEX, 24) + "-", HEX, 34),
        ("age secret key", "AGE-SECRET" + "-KEY-1", UPPER, 58),
        ("alibaba key", "LT" + "AI", MIXED, 20),
        ("buildkite token", "bk" + "ua_", HEX, 40),
        ("brevo key", "xkey" + "sib-" + body(6, HEX, 64) + "-", MIXED, 16),
    )
    secrets = []
    for seed, (name, head, alphabet, size) in enumerate(rows, 1):
        tail = body(seed, alphabet, size)
        secrets.append(Secret(name, head + tail, tail))
    return secrets


def _shaped() -> list[Secret]:
    """Return the secrets that are known by their shape."""
    parts = [body(seed, MIXED, 60) for seed in range(100, 140)]
    hexes = [body(seed, HEX, 64) for seed in range(200, 230)]
    webhook = "T0" + parts[0][:8].upper() + "/B0" + parts[1][:8].upper() + "/" + parts[2][:24]
    jwt_tail = f"{parts[4]}.{parts[5][:43]}"
    basic = base64.b64encode(f"deploy:{parts[6][:14]}".encode()).decode()
    pem = "\n".join(body(seed, MIXED, 64) for seed in range(300, 306))
    begin, end = "-----BEGIN {}PRIVATE" + " KEY{}-----", "-----END {}PRIVATE" + " KEY{}-----"

    def block(kind: str, suffix: str = "") -> Secret:
        whole = f"{begin.format(kind, suffix)}\n{pem}\n{end.format(kind, suffix)}"
        return Secret(f"{kind}private key", whole, pem.splitlines()[2])

    azure = base64.b64encode(parts[7].encode()).decode()
    discord = f"M{parts[8][:23]}.{parts[9][:6]}.{parts[10][:38]}"
    sentry = "https://" + hexes[0][:32] + "@o12345.ingest." + "sentry.io/42"
    return [
        block("RSA "),
        block("EC "),
        block("OPENSSH "),
        block(""),
        block("ENCRYPTED "),
        block("PGP ", " BLOCK"),
        Secret("truncated private key", f"{begin.format('RSA ', '')}\n{pem}", pem.splitlines()[4]),
        Secret("end of a private key", f"{pem}\n{end.format('RSA ', '')}", pem.splitlines()[1]),
        Secret("slack webhook", "https://hooks.slack" + ".com/services/" + webhook, parts[2][:24]),
        Secret(
            "discord webhook",
            "https://discord" + ".com/api/webhooks/123456789012345678/" + parts[3],
            parts[3],
        ),
        Secret("discord bot token", discord, discord.split(".")[2]),
        Secret("telegram token", "123456789" + ":AA" + parts[11][:33], parts[11][:33]),
        Secret("sendgrid key", "SG" + f".{parts[12][:22]}.{parts[13][:43]}", parts[13][:43]),
        Secret("mailchimp key", f"{hexes[1][:32]}-us" + "14", hexes[1][:32]),
        Secret("jwt", "ey" + "J" + jwt_tail, parts[5][:43]),
        Secret("airtable token", "pa" + f"t{parts[14][:14]}.{hexes[2]}", hexes[2]),
        Secret(
            "terraform cloud token", f"{parts[15][:14]}.atlas" + f"v1.{parts[16]}", parts[16][:60]
        ),
        Secret("azure client secret", f"{parts[17][:3]}8Q" + f"~{parts[18][:34]}", parts[18][:34]),
        Secret(
            "braintree token",
            "access_token" + f"$production${hexes[3][:16]}${hexes[4][:32]}",
            hexes[4][:32],
        ),
        Secret("plaid token", "access-" + "production-" + _uuid(9), _uuid(9)),
        Secret("okta token", "okta: 0" + f"0{parts[19][:40]}", parts[19][:40]),
        Secret("sentry dsn", sentry, hexes[0][:32]),
        Secret("new relic licence key", f"{body(9, LOWER, 36)}NR" + "AL", body(9, LOWER, 36)),
        Secret(
            "azure storage connection string",
            f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={azure};EndpointSuffix=x",
            azure.rstrip("="),
        ),
        Secret(
            "azure shared access key",
            "Endpoint=sb://b/;SharedAccess" + f"Key={azure}",
            azure.rstrip("="),
        ),
        Secret(
            "azure sas url",
            "https://a.blob.core.windows.net/c?sv=2022-11-02&si" + f"g={parts[20][:40]}%3D",
            parts[20][:40],
        ),
        Secret("bearer header", "Authorization: Bear" + f"er {parts[21]}", parts[21]),
        Secret("basic header", "Authorization: Bas" + f"ic {basic}", basic),
        Secret("token header", "Authorization: tok" + f"en {hexes[5][:40]}", hexes[5][:40]),
        Secret("api key header", "X-Api-" + f"Key: {parts[22][:32]}", parts[22][:32]),
        Secret("vault header", "X-Vault-Tok" + f"en: {parts[23][:26]}", parts[23][:26]),
        Secret("cookie header", "Cook" + f"ie: theme=dark; sid={parts[24][:32]}", parts[24][:32]),
        Secret(
            "set-cookie header", "Set-Cook" + f"ie: sid={parts[25][:32]}; Path=/", parts[25][:32]
        ),
        Secret("session cookie", "PHPSESS" + f"ID={parts[26][:26]}", parts[26][:26]),
        Secret(
            "postgres url",
            "postgres" + "://app:" + f"{parts[27][:12]}@db.local:5432/app",
            parts[27][:12],
        ),
        Secret("mysql url", "mysql" + "://app:" + f"{parts[28][:12]}@db.local/app", parts[28][:12]),
        Secret(
            "mongodb url",
            "mongodb+srv" + "://app:" + f"{parts[29][:12]}@c0.mongodb.net/x",
            parts[29][:12],
        ),
        Secret("redis url", "redis" + "://:" + f"{parts[30][:12]}@cache:6379/0", parts[30][:12]),
        Secret("amqp url", "amqp" + "://guest1:" + f"{parts[31][:12]}@mq:5672/v", parts[31][:12]),
        Secret(
            "password in a url",
            "https" + "://me:" + f"{parts[32][:12]}@git.example.com/r.git",
            parts[32][:12],
        ),
        Secret(
            "token in a query",
            "https://api.example.com/v1?access_" + f"token={parts[33][:24]}&x=1",
            parts[33][:24],
        ),
        Secret(
            "ado connection string",
            "Server=db;User Id=sa;Pass" + f"word={parts[34][:12]};",
            parts[34][:12],
        ),
        Secret(
            "kubeconfig key",
            "client-key-" + "data: " + "LS0tLS1CRUdJTiBSU0Eg" + "UFJJVkFURSBLRVkt" + parts[35],
            parts[35],
        ),
        Secret("kubeconfig token", "    tok" + f"en: {parts[36]}", parts[36]),
        Secret(
            "netrc line",
            "machine api.example.com login me pass" + f"word {parts[37][:14]}",
            parts[37][:14],
        ),
    ]


def _assigned() -> list[Secret]:
    """Return the secrets that are known by the name they are given to."""
    parts = [body(seed, MIXED, 48) for seed in range(400, 440)]
    hexes = [body(seed, HEX, 40) for seed in range(500, 510)]
    password = "hunt" + "er2!"
    return [
        Secret("aws secret key", "aws_secret_access_" + f"key = {parts[0][:40]}", parts[0][:40]),
        Secret("aws session token", "aws_session_" + f"token={parts[1]}/{parts[2]}==", parts[2]),
        Secret("env password", "DB_PASS" + f"WORD={password}", password),
        Secret("env secret", "export SESSION_SEC" + f"RET={parts[3]}", parts[3]),
        Secret("env api key", "COHERE_API_" + f"KEY={parts[4][:40]}", parts[4][:40]),
        Secret("datadog api key", "DD_API_" + f"KEY={hexes[0][:32]}", hexes[0][:32]),
        Secret("cloudflare token", "CLOUDFLARE_API_TO" + f"KEN={parts[5][:40]}", parts[5][:40]),
        Secret("fastly token", "FASTLY_API_TO" + f"KEN={parts[6][:32]}", parts[6][:32]),
        Secret("django secret key", "SECRET_" + f'KEY = "{parts[7]}"', parts[7]),
        Secret("python password", "pass" + f'word = "{password}"', password),
        Secret("typed password", "pass" + f'word: str = "{password}"', password),
        Secret("go password", "pass" + f'word := "{password}"', password),
        Secret("java password", "String dbPass" + f'word = "{password}";', password),
        Secret("ruby password", ":pass" + f"word => '{password}'", password),
        Secret("php password", "$pass" + f"word = '{password}';", password),
        Secret("yaml password", "  pass" + f"word: {password}", password),
        Secret("json password", '{"pass' + f'word": "{password}"}}', password),
        Secret("xml password", "<pass" + f"word>{password}</password>", password),
        Secret("setter", "config.setPass" + f'word("{password}")', password),
        Secret("mapping", 'os.environ["PGPASS' + f'WORD"] = "{password}"', password),
        Secret("password flag", "deploy --pass" + f"word {password}", password),
        Secret("token flag", "gh --to" + f"ken={parts[8][:30]} api", parts[8][:30]),
        Secret("curl user", "curl -u me:" + f"{password} https://x", password),
        Secret("mysql flag", "mysql -u root -p" + f"{password} app", password),
        Secret("sshpass", "sshpass -p " + f"{password} ssh me@host", password),
        Secret("sql user", "CREATE USER app IDENTIFIED BY '" + f"{password}'", password),
        Secret("npm auth token", "//registry.npmjs.org/:_auth" + f"Token={_uuid(77)}", _uuid(77)),
        Secret(
            "docker auth", '{"auths": {"x": {"au' + f'th": "{parts[9][:32]}=="}}}}}}', parts[9][:32]
        ),
        Secret("client secret", "client_" + f'secret: "{parts[10][:40]}"', parts[10][:40]),
        Secret("snowflake password", "SNOWFLAKE_PASS" + f"WORD={password}", password),
        Secret("auth0 client secret", "AUTH0_CLIENT_SEC" + f"RET={parts[11]}", parts[11]),
        Secret("encryption key", "ENCRYPTION_" + f"KEY={hexes[1]}", hexes[1]),
        Secret("webhook secret", "webhook_" + f'secret = "{parts[12][:24]}"', parts[12][:24]),
        Secret("private key id", '"private_key_' + f'id": "{hexes[2]}"', hexes[2]),
        Secret("heroku api key", "HEROKU_API_" + f"KEY={_uuid(78)}", _uuid(78)),
        Secret(
            "pagerduty token", "Authorization: Token to" + f"ken={parts[13][:20]}", parts[13][:20]
        ),
        Secret("prose password", "the pass" + f"word is {password} for now", password),
    ]


def corpus() -> list[Secret]:
    """Return every made-up secret."""
    return [*_tokens(), *_shaped(), *_assigned()]
