r"""What secrets look like, as data.

Three tables, from the certain to the guessed (`names` has those that a name tells):

* `TOKENS`  begin with letters that nothing else begins with: kind, heads, what follows a head.
  A head counts only at an edge: not in the middle of a word, but after `\n` in escaped text.
* `SHAPES`  are known by a word beside them: kind, words (lower case), pattern. Where the pattern
  has a group `s`, only that part is the secret.
* `RUNS`    have no word at all: kind, a run of letters as `outline` draws it, pattern.

Heads and words are searched for as plain text first; a pattern is compiled only when one was found.
Every repetition has a bound, and no pattern begins with a repetition that could begin anywhere in a
long word: a line of a megabyte takes less than a second.
"""

# kind, heads, body
TOKENS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    # clouds
    ("aws-access-key", ("AKIA", "ASIA", "ABIA", "ACCA"), r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("aws-access-key", ("A3T",), r"[A-Z0-9]{17}(?![A-Za-z0-9])"),
    ("aws-bedrock-key", ("bedrock-api-key-",), r"[A-Za-z0-9+/=]{20,4096}"),
    ("aws-bedrock-key", ("ABSK",), r"[A-Za-z0-9+/]{100,300}={0,2}(?![A-Za-z0-9+/])"),
    ("gcp-api-key", ("AIza",), r"[\w-]{35}"),
    ("gcp-oauth-token", ("ya29.",), r"[\w-]{20,1024}"),
    ("gcp-oauth-secret", ("GOCSPX-",), r"[\w-]{20,40}"),
    ("gcp-refresh-token", ("1//0",), r"[\w-]{30,200}"),
    ("gcp-service-key", ("AQ.Ab",), r"[\w-]{30,200}"),
    ("alibaba-access-key", ("LTAI",), r"[A-Za-z0-9]{12,24}(?![A-Za-z0-9])"),
    ("yandex-key", ("AQVN",), r"[\w-]{35,38}(?![\w-])"),
    ("tencent-secret-id", ("AKID",), r"[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    ("digitalocean-token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"[0-9a-fA-F]{40,64}"),
    ("cloudflare-token", ("cfut_", "cfat_", "cfk_"), r"[\w-]{30,100}"),
    ("cloudflare-origin-ca", ("v1.0-",), r"[0-9a-f]{24}-[0-9a-f]{100,160}"),
    ("heroku-key", ("HRKU-",), r"[\w-]{30,80}"),
    ("fly-token", ("FlyV1 ", "fm1r_", "fm1a_", "fm2_", "fo1_"), r"[\w+/=,.-]{30,2048}"),
    ("netlify-token", ("nfp_", "nfc_", "nfo_"), r"[A-Za-z0-9_]{30,60}"),
    ("vercel-token", ("vercel_blob_rw_", "vcp_", "vci_", "vca_"), r"[A-Za-z0-9_]{24,80}"),
    ("render-key", ("rnd_",), r"[A-Za-z0-9]{20,60}"),
    ("supabase-key", ("sbp_", "sb_secret_"), r"[\w-]{20,80}"),
    ("planetscale-key", ("pscale_tkn_", "pscale_pw_", "pscale_oauth_"), r"[\w.=-]{30,64}"),
    ("databricks-token", ("dapi", "dkea", "dose"), r"[0-9a-f]{32}(?:-\d{1,2})?(?![0-9a-f])"),
    ("tailscale-key", ("tskey-",), r"[A-Za-z]{2,10}-[\w-]{10,100}"),
    ("dynatrace-token", ("dt0c01.", "dt0s01.", "dt0s16."), r"[A-Za-z0-9]{24}\.[A-Za-z0-9]{40,64}"),
    ("clickhouse-key", ("4b1d",), r"[A-Za-z0-9]{38}(?![A-Za-z0-9+/=_-])"),
    ("scalingo-token", ("tk-us-",), r"[\w-]{48}"),
    ("adobe-client-secret", ("p8e-",), r"[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    ("infracost-key", ("ico-",), r"[A-Za-z0-9]{32}(?![\w-])"),
    ("prefect-token", ("pnu_",), r"[A-Za-z0-9]{36}"),
    ("settlemint-token", ("sm_aat_", "sm_pat_", "sm_sat_"), r"[A-Za-z0-9]{16}"),
    # code hosts and package registries
    ("github-token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"[A-Za-z0-9]{20,255}"),
    ("github-token", ("github_pat_",), r"[A-Za-z0-9_]{20,255}"),
    (
        "gitlab-token",
        (
            "glpat-",
            "gldt-",
            "glrt-",
            "glcbt-",
            "glptt-",
            "glft-",
            "glsoat-",
            "glimt-",
            "glagent-",
            "gloas-",
            "glffct-",
            "glwt-",
            "GR1348941",
        ),
        r"[\w.-]{20,300}",
    ),
    ("bitbucket-token", ("ATBB", "ATCTT3"), r"[\w=-]{20,250}"),
    ("atlassian-token", ("ATATT3", "ATOA"), r"[\w=-]{40,250}"),
    ("npm-token", ("npm_",), r"[A-Za-z0-9]{30,60}"),
    ("pypi-token", ("pypi-Ag",), r"[\w-]{40,400}"),
    ("rubygems-key", ("rubygems_",), r"[0-9a-f]{40,64}"),
    ("docker-token", ("dckr_pat_", "dckr_oat_"), r"[\w-]{20,60}"),
    ("cargo-token", ("cio",), r"[A-Za-z0-9]{32}(?![A-Za-z0-9])"),
    ("nuget-key", ("oy2",), r"[a-z0-9]{43}(?![a-z0-9])"),
    ("clojars-token", ("CLOJARS_",), r"[A-Za-z0-9]{60}"),
    ("artifactory-key", ("AKCp", "cmVmd"), r"[A-Za-z0-9]{50,80}(?![A-Za-z0-9+/])"),
    ("terraform-token", ("terraform_",), r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,80}"),
    ("sourcegraph-token", ("sgp_",), r"(?:(?:[0-9a-fA-F]{16}|local)_)?[0-9a-fA-F]{40}"),
    ("octopus-key", ("API-",), r"[A-Z0-9]{26}(?![A-Za-z0-9])"),
    ("defined-key", ("dnkey-",), r"[\w=-]{26}-[\w=-]{52}"),
    ("intra42-secret", ("s-s4t2ud-", "s-s4t2af-"), r"[0-9a-fA-F]{64}"),
    ("buildkite-token", ("bkua_", "bkaa_"), r"[0-9a-f]{40}"),
    ("circleci-token", ("CCIPAT_", "CCIPRJ_"), r"[\w-]{20,100}"),
    ("sonar-token", ("sqp_", "squ_", "sqa_"), r"[0-9a-f]{40}"),
    ("pulumi-token", ("pul-",), r"[0-9a-f]{40}"),
    ("postman-key", ("PMAK-",), r"[0-9a-fA-F]{24}-[0-9a-fA-F]{34}"),
    ("launchdarkly-key", ("sdk-", "mob-"), r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    ("doppler-token", ("dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim."), r"[\w.-]{20,80}"),
    ("openshift-token", ("sha256~",), r"[\w-]{40,64}"),
    # people talking
    ("slack-token", ("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-"), r"[\w-]{8,250}"),
    ("slack-token", ("xoxe-", "xoxe.xox", "xoxc-", "xoxd-", "xapp-"), r"[\w%.-]{10,400}"),
    ("slack-webhook", ("hooks.slack.com/",), r"(?:services|workflows|triggers)/[\w/+-]{20,120}"),
    ("discord-webhook", ("discord.com/api/", "discordapp.com/api/"), r"webhooks/\d+/[\w-]{20,100}"),
    ("frameio-token", ("fio-u-",), r"[\w=-]{64}"),
    ("linear-key", ("lin_api_", "lin_oauth_"), r"[A-Za-z0-9]{30,70}"),
    ("notion-token", ("ntn_",), r"[A-Za-z0-9]{40,60}"),
    ("notion-token", ("secret_",), r"[A-Za-z0-9]{43}(?![A-Za-z0-9_])"),
    ("figma-token", ("figd_", "figo_", "figu_", "figoh_"), r"[\w-]{20,100}"),
    ("hubspot-token", ("pat-na1-", "pat-na2-", "pat-eu1-"), r"[0-9a-f-]{36}"),
    ("typeform-token", ("tfp_",), r"[\w.=-]{40,80}"),
    ("contentful-token", ("CFPAT-",), r"[\w-]{40,60}"),
    ("adafruit-key", ("aio_",), r"[A-Za-z0-9]{28}"),
    ("readme-key", ("rdme_",), r"[A-Za-z0-9]{60,80}"),
    # mail and messages
    ("sendgrid-key", ("SG.",), r"(?:[\w=.-]{66}|[\w-]{16,32}\.[\w-]{16,64})"),
    ("twilio-key", ("SK",), r"[0-9a-fA-F]{32}(?![0-9a-zA-Z])"),
    ("mailgun-key", ("key-", "pubkey-"), r"[0-9a-f]{32}(?![0-9a-f])"),
    ("brevo-key", ("xkeysib-", "xsmtpsib-"), r"[0-9a-f]{60,70}-[A-Za-z0-9]{12,20}"),
    # money
    (
        "stripe-key",
        ("sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "sk_org_"),
        r"[A-Za-z0-9_]{10,250}",
    ),
    ("stripe-webhook-secret", ("whsec_",), r"[A-Za-z0-9+/=]{20,80}"),
    (
        "shopify-token",
        ("shpat_", "shpca_", "shppa_", "shpss_", "shptka_", "shpua_"),
        r"[0-9a-fA-F]{32}",
    ),
    (
        "square-token",
        ("EAAA",),
        r"(?<![A-Za-z0-9][+/]EAAA)[\w-]{22,64}(?![\w+/=-])",
    ),
    ("square-token", ("sq0atp-", "sq0csp-"), r"[\w-]{20,60}"),
    (
        "braintree-token",
        ("access_token$production$", "access_token$sandbox$"),
        r"[0-9a-z]{16}\$[0-9a-f]{32}",
    ),
    ("paypal-token", ("A21AA",), r"[\w-]{60,200}"),
    (
        "plaid-token",
        ("access-sandbox-", "access-development-", "access-production-"),
        r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
    ),
    ("flutterwave-key", ("FLWSECK-", "FLWSECK_TEST-", "FLWPUBK_TEST-"), r"[\w-]{12,60}"),
    ("duffel-token", ("duffel_test_", "duffel_live_"), r"[\w=-]{43}"),
    ("easypost-key", ("EZAK", "EZTK"), r"[A-Za-z0-9]{54}"),
    ("shippo-token", ("shippo_live_", "shippo_test_"), r"[0-9a-fA-F]{40}"),
    # watching
    ("newrelic-key", ("NRAK-", "NRJS-", "NRII-", "NRRA-", "NRIQ-"), r"[\w-]{19,40}"),
    ("sentry-token", ("sntrys_", "sntryu_", "sntrya_"), r"[\w+/=-]{20,800}"),
    ("grafana-token", ("glc_", "glsa_"), r"[\w+/=]{32,400}"),
    ("grafana-key", ("eyJrIjoi",), r"[\w=-]{40,400}"),
    ("datadog-key", ("ddapp_", "ddapi_", "ddp_"), r"[A-Za-z0-9]{30,64}"),
    # models
    ("anthropic-key", ("sk-ant-",), r"[\w-]{16,250}"),
    (
        "openai-key",
        ("sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-", "sess-"),
        r"[\w-]{20,300}",
    ),
    ("openrouter-key", ("sk-or-",), r"[\w-]{20,100}"),
    ("langfuse-key", ("sk-lf-",), r"[0-9a-f-]{36}"),
    ("openai-key", ("sk-",), r"[A-Za-z0-9]{20,200}(?![\w-])"),
    (
        "openai-key",
        ("sk-",),
        r"(?!ecdsa|ssh)(?=[A-Za-z_-]{0,24}\d)[A-Za-z0-9][\w-]{15,200}(?![\w-])",
    ),
    ("elevenlabs-key", ("sk_",), r"[0-9a-f]{40,64}(?![A-Za-z0-9])"),
    ("huggingface-token", ("hf_", "api_org_"), r"[A-Za-z0-9]{30,60}"),
    ("replicate-token", ("r8_",), r"[A-Za-z0-9]{30,50}"),
    ("groq-key", ("gsk_",), r"[A-Za-z0-9]{40,80}"),
    ("xai-key", ("xai-",), r"[A-Za-z0-9]{40,120}"),
    ("perplexity-key", ("pplx-",), r"[A-Za-z0-9]{40,80}"),
    ("together-key", ("tgp_v1_",), r"[\w-]{30,80}"),
    ("fireworks-key", ("fw_",), r"[A-Za-z0-9]{20,60}(?![\w-])"),
    ("langsmith-key", ("lsv2_pt_", "lsv2_sk_"), r"[0-9a-f_]{32,60}"),
    ("pinecone-key", ("pcsk_",), r"[\w]{40,100}"),
    ("nvidia-key", ("nvapi-",), r"[\w-]{40,100}"),
    ("cerebras-key", ("csk-",), r"[a-z0-9]{40,60}"),
    ("tavily-key", ("tvly-",), r"[\w-]{20,60}"),
    # keys and vaults
    (
        "authorization",
        ("Basic ",),
        r"(?:(?=[A-Za-z0-9+/]{0,40}[0-9+/=])|(?=[A-Za-z]{16}))[A-Za-z0-9+/]{8,1024}={0,2}(?=$|[\s\"'`\\,;)\]}>&])",
    ),
    ("vault-token", ("hvs.", "hvb.", "hvr."), r"[\w-]{20,300}"),
    ("onepassword-token", ("ops_eyJ",), r"[\w+/=-]{40,2048}"),
    (
        "onepassword-key",
        ("A3-",),
        r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
    ),
    ("age-secret-key", ("AGE-SECRET-KEY-", "AGE-PLUGIN-"), r"[A-Z0-9-]{40,100}"),
    (
        "private-key",  # a PEM block in base64 once more, as kubeconfig and CI variables hold it
        (
            "LS0tLS1CRUdJTiBSU0EgUFJJ",
            "LS0tLS1CRUdJTiBQUklWQVRF",
            "LS0tLS1CRUdJTiBFQyBQUklW",
            "LS0tLS1CRUdJTiBPUEVOU1NIIFBS",
            "LS0tLS1CRUdJTiBEU0EgUFJJ",
            "LS0tLS1CRUdJTiBFTkNSWVBU",
        ),
        r"[A-Za-z0-9+/=]{16,32768}",
    ),
    ("jwt", ("ZXlK",), r"[\w+/-]{16,16384}={0,2}"),  # one in base64 once more
    ("mapbox-token", ("sk.eyJ",), r"[\w-]{40,200}\.[\w-]{16,60}"),
    (
        # In either alphabet of base64, with the slash that JSON may escape.
        "jwt",
        ("ey",),
        (
            r"[A-Za-z0-9]{17,4096}\.ey(?:[\w/+=-]|\\/){17,16384}"
            r"(?:\.(?:[\w/+=-]|\\/){0,16384})?"
        ),
    ),
    ("jwt", ("eyJ",), r"[\w-]{8,4096}\.[\w-]{8,16384}(?:\.[\w-]{0,16384}){0,3}"),
)

# Not words: a URL that names somebody before its host, and what other files look for.
USERINFO = "://@"
CARD = "0000 0000"
ENCODED = "base64"
PRIVATE_KEY = "private key"
# What announces the words that open a wallet.
ANNOUNCEMENTS = (
    *("mnemonic", "seed phrase", "seed_phrase", "seed-phrase", "seedphrase", "seed words", "bip39"),
    *("recovery phrase", "recovery_phrase", "recovery-phrase", "recoveryphrase", "recovery words"),
    *(
        "backup phrase",
        "wallet phrase",
        "wallet seed",
        "wallet_seed",
        "walletseed",
        "secret phrase",
    ),
    *("secret recovery", "recovery seed", "bip-39", "seed:", "seed =", "seed="),
)
# What the first line of a table may say.
MANIFESTS = ("kind: secret", 'kind: "secret', "kind:secret")
TABLES = (
    ",password",
    "password,",
    ";password",
    "password;",
    "\tpassword",
    "password\t",
    "secret access key",
)

_END = r"""(?=$|[\s"'`\\,;)\]}>&])"""
_GAP = r"(?:\s|\\[nrt])"
# Not in the middle of a word; the letter of an escape is no part of a word.
_EDGE = r"(?:(?<![\w.~-])|(?<=\\[nrtbf])|(?<=[\s\"'\[(,]-)|(?<=^-))"

_OPENS_BLOCK = r":[ \t]{0,4}[|>][+-]?\d?[ \t]{0,4}\r?\n"
_YAML_BLOCK = (
    r"(?i:passw(?:or)?d|passphrase|secret|token|_key|apikey)[\"']?"
    + _OPENS_BLOCK
    + r"[ \t+-]{1,24}(?P<s>[^\s\[][^\n]{2,512})"
)
# By its pattern, what a shape always has in it; looked for first where it is found much sooner.
NEEDED = {_YAML_BLOCK: _OPENS_BLOCK}

# kind, words (lower case), pattern
SHAPES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    (
        "private-key",
        ("private-lines:",),
        (
            r"Private-Lines: \d{1,4}(?:\\{1,4}[nr]|\s){1,4}"
            r"(?P<s>(?:[A-Za-z0-9+/=]{10,80}(?:\\{1,4}[nr]|\s){0,4}){1,100})"
        ),
    ),
    ("authorization", ("bearer",), r"(?i:bearer)(?:\s|%20){1,4}(?P<s>[\w.~+/=:-]{16,4096})"),
    (
        "authorization",
        ("bearer",),
        r"(?i:bearer)(?:\s|%20){1,4}(?P<s>(?=[A-Za-z.~+/=-]{0,15}\d)[\w.~+/=-]{8,15})(?![\w.~+/=-])",
    ),
    (
        "authorization",
        ("authorization",),
        (
            r"(?i:authorization)(?:\\{0,3}[\"'])?\s{0,4}[:=]\s{0,4}(?:\\{0,3}[\"'])?"
            r"(?P<s>(?i:basic|digest|(?:api-)?token|apikey|negotiate|ntlm|aws4-hmac-sha256|ssws|key|hmac)"
            r"[ \t=]{1,4}[^\r\n\"'`\\<>]{6,2048})"
        ),
    ),
    (
        "authorization",
        ("authorization",),
        r"(?i:authorization)(?:\\{0,3}[\"'])?\s{0,4}[:=]\s{0,4}(?:\\{0,3}[\"'])?"
        r"(?P<s>(?=[A-Za-z_.~+/=-]{0,64}\d)[\w.~+/=-]{16,2048})" + _END,
    ),
    (
        "cookie",
        ("cookie",),
        (
            r"(?:(?i:set-cookie2?|cookie):|(?i:-b|--cookie)) {0,4}(?:\\{0,3}[\"'])?"
            r"(?P<s>[\w.%-]{1,100}=[^\r\n\"'`\\]{4,4096})"
        ),
    ),
    (
        "session-cookie",
        (
            "phpsessid",
            "jsessionid",
            "asp.net_sessionid",
            "connect.sid",
            "laravel_session",
            "sessionid=",
            "csrftoken",
            "__secure-",
            "__host-",
            "_session=",
        ),
        (
            r"(?i:phpsessid|jsessionid|asp\.net_sessionid|connect\.sid|laravel_session|sessionid|csrftoken"
            r"|__(?:secure|host)-[\w.-]{1,40}|_session)="
            r"(?P<s>(?=[A-Za-z_%.~+/=-]{0,64}\d)[\w%.~+/=-]{16,4096})"
        ),
    ),
    # connection strings and URLs
    (
        "connection-password",
        (USERINFO,),
        (
            r"(?i:postgres(?:ql)?|mysqlx?|mariadb|mongodb|rediss?|amqps?|mssql|sqlserver|snowflake|clickhouse"
            r"|cockroachdb|oracle|ldaps?|smtps?|kafka|nats|cassandra|neo4j)(?:\+[\w+]{1,20})?:(?:\\?/){2}"
            r"[^\s:@/\"'`\\<>]{0,128}:(?P<s>[^\s\"'`\\<>@]{1,256}(?:@[^\s\"'`\\<>@/?]{1,64}){0,2}?)"
            r"@(?=[\w.\[$%{-])(?![^\s/?\"'`\\@]{0,128}@)"
        ),
    ),
    (
        "url-password",
        (USERINFO,),
        (
            r":(?:\\?/){2}[^\s:@/\"'`\\<>()\[\]{}]{0,128}:"
            r"(?P<s>[^\s@/\"'`\\<>(){}]{1,256}(?:@[^\s@/\"'`\\<>(){}]{1,64}(?=@))?)@(?=[\w.\[$%{-])"
        ),
    ),
    (
        "url-token",
        (USERINFO,),
        r":(?:\\?/){2}(?P<s>(?=[A-Za-z_-]{0,60}\d)[\w-]{20,128})(?::x-oauth-basic)?@(?=\w)",
    ),
    (
        "sentry-dsn",
        ("sentry",),
        r"https?://(?P<s>[0-9a-f]{32}(?::[0-9a-f]{32})?)@[\w.-]{1,100}",
    ),
    (
        "url-secret",
        (
            "token=",
            "apikey=",
            "api_key=",
            "accesskey=",
            "access_key=",
            "secret=",
            "password=",
            "passwd=",
            "sig=",
            "signature=",
            "credential=",
            "?key=",
            "&key=",
            "?auth=",
            "&auth=",
            "?code=",
            "&code=",
        ),
        (
            r"[?&](?i:[\w.-]{0,24}(?:token|api_?key|access_?key|secret|password|passwd|credential)"
            r"|key|sig|x-amz-signature|x-amz-credential|x-goog-signature|signature|auth|code)="
            r"(?P<s>(?=[A-Za-z_.~%-]{0,120}\d)[\w.~%+/=|-]{8,2048})"
        ),
    ),
    (
        "azure-key",
        ("accountkey=", "sharedaccesskey=", "sharedsecret", "sharedaccesssignature"),
        (
            r"(?i:accountkey|sharedaccesskey|sharedsecret(?:value)?|sharedaccesssignature)="
            r"(?P<s>[\w+/=%]{20,400})"
        ),
    ),
    (
        "azure-client-secret",
        tuple(digit + "q~" for digit in "0123456789"),
        _EDGE + r"[\w~.]{3}\dQ~[\w~.-]{31,36}",
    ),
    (
        "teams-webhook",
        ("webhook.office.com",),
        r"(?:(?<=//)[\w-]{1,64}\.)?webhook\.office\.com/webhookb2/[\w@/-]{36,300}",
    ),
    (
        "maxmind-key",
        ("_mmk",),
        r"(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk(?![A-Za-z0-9_])",
    ),
    (
        "authress-key",
        (".acc_", ".acc-"),
        (
            r"(?<![A-Za-z0-9])(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\.[A-Za-z0-9]{4,6}\.acc[_-]"
            r"[A-Za-z0-9-]{10,32}\.[\w+/=-]{30,120}"
        ),
    ),
    (
        "jwk-private",  # the private number of a key that is written as JSON
        ('"kty"', '\\"kty'),
        r"\\{0,3}\"(?:d|p|q|dp|dq|qi|k)\\{0,3}\"\s{0,4}:\s{0,4}\\{0,3}\"(?P<s>[\w-]{20,2048})",
    ),
    (
        "aws-secret-key",  # the two columns of the file that AWS gives out
        ("AKIA", "ASIA"),
        (
            r"(?:AKIA|ASIA)[A-Z0-9]{16}[\"']?[ \t,;:|/]{1,4}[\"']?"
            r"(?P<s>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
        ),
    ),
    ("azure-devops-token", ("azdo",), _EDGE + r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),
    ("terraform-token", (".atlasv1.",), _EDGE + r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,80}"),
    ("telegram-token", (":aa",), _EDGE + r"(?:bot)?\d{8,10}:AA[\w-]{32,36}(?![\w-])"),
    (
        "mailchimp-key",
        tuple("-us" + digit for digit in "123456789"),
        _EDGE + r"[0-9a-fA-F]{32}-us\d{1,2}(?!\d)",
    ),
    (
        "mailgun-key",
        ("mailgun",),
        _EDGE + r"[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![0-9a-f])",
    ),
    ("newrelic-key", ("nral",), _EDGE + r"[0-9a-z]{36}NRAL(?![A-Za-z0-9])"),
    ("okta-token", ("okta", "ssws"), _EDGE + r"00[\w-]{40}(?![\w-])"),
    (
        "heroku-key",
        ("heroku",),
        r"(?i:heroku)[^\n]{0,40}?(?P<s>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})",
    ),
    ("vault-token", ("vault",), _EDGE + r"s\.[A-Za-z0-9]{24}(?![\w.])"),
    (
        "twitter-token",
        ("aaaaaaaaaaaaaaaaaaaa",),
        _EDGE + r"A{20}[A-Za-z0-9%]{60,120}(?![A-Za-z0-9%])",
    ),
    ("facebook-token", ("eaac", "eaab", "eaad", "eaam"), _EDGE + r"EAA[BCDM][A-Za-z0-9]{60,400}"),
    (
        "password",  # a block of YAML
        ("passw", "secret:", "token:", "_key:", "apikey:"),
        _YAML_BLOCK,
    ),
    (
        "password",  # an element of XML with attributes
        ("password ", "passwd ", "secret ", "token "),
        (
            r"<(?i:[\w:.-]{0,30}?(?:password|passwd|secret|token))\s[^<>\n]{1,200}>"
            r"(?P<s>[^<>\s\[][^<>\n]{2,256})(?=</)"
        ),
    ),
    (
        "password",  # a variable of Terraform
        ('password" {', 'secret" {', 'token" {', 'key" {'),
        (
            r"variable\s{1,4}\"[\w-]{0,60}(?i:password|secret|token|key)[\w-]{0,20}\"\s{0,4}\{"
            r"[^{}]{0,400}?default\s{0,20}=\s{0,4}\"(?P<s>[^\"\n\[$]{3,256})\""
        ),
    ),
    (
        "url-secret",
        ("password%", "passwd%", "secret%", "token%", "api_key%", "apikey%"),
        (
            r"(?i:passw(?:or)?d|secret|token|api_?key)(?:%22)?(?i:%3a|%3d)(?:%20)?(?:%22)?"
            r"(?P<s>[^%&\s\"']{3,256})"
        ),
    ),
    (
        "cli-password",
        ("convertto-securestring", "<<<"),
        (
            r"(?:(?i:convertto-securestring)(?: -String)? {1,4}[\"']"
            r"|(?i:token|password|secret)[^\n<]{0,24}<<< ?[\"']?)(?P<s>[^\s\"'$/*][^\s\"']{3,256})"
        ),
    ),
    (
        "card-code",
        ("cvv", "cvc"),
        r"(?<![A-Za-z])(?i:cv[vc])2?[\"']?\s{0,2}[:=]\s{0,2}[\"']?(?P<s>\d{3,4})(?![\w.])",
    ),
    # command lines
    (
        "cli-password",
        ("curl", "wget", "httpie", "--user", "--proxy-user"),
        (
            r"(?<=[\s\"'])(?:-u|-U|--user|--proxy-user)[ =]{0,2}(?:\\{0,3}[\"'])?"
            r"(?!\d{1,6}:\d{1,6}\b)[^\s:\"'`\\$]{1,128}[\"']?:(?!//)(?P<s>[^\s\"'`\\]{1,256})"
        ),
    ),
    (
        "cli-password",
        ("mysql", "mariadb"),
        r"(?i:mysql|mariadb)\w{0,10}[^\n|;]{0,120}?\s-p(?:\\{0,3}[\"'])?(?P<s>[^\s\"'`\\-][^\s\"'`\\]{2,128})",
    ),
    (
        "cli-password",
        ("sshpass", "redis-cli", "docker login", "helm ", "storepass", "keypass", "podman login"),
        (
            r"(?:sshpass {1,4}-p|redis-cli[^\n|;]{0,80}? -a|"
            r"(?:docker|podman|helm registry) login[^\n|;]{0,120}? -p"
            r"|-storepass|-keypass) {0,4}(?:\\{0,3}[\"'])?(?P<s>[^\s\"'`\\$-][^\s\"'`\\]{2,128})"
        ),
    ),
    (
        "cli-password",
        ("passin", "passout", "pass:"),
        r"(?:-passin|-passout|-pass|-k) {1,4}pass:(?P<s>[^\s\"'`\\]{1,128})",
    ),
    (
        "netrc-password",
        ("password ",),
        r"login"
        + _GAP
        + r"{1,8}\S{1,128}?"
        + _GAP
        + r"{1,8}(?:account"
        + _GAP
        + r"{1,8}\S{1,128}?"
        + _GAP
        + r"{1,8})?password"
        + _GAP
        + r"{1,8}(?P<s>[^\s\\\"']{1,256})",
    ),
    (
        "database-password",
        ("identified by", "password '"),
        (
            r"(?i:identified\s{1,4}(?:with\s{1,4}[\w']{1,40}\s{1,4})?by|password)(?:\s{1,4}as)?\s{1,4}"
            r"(?:\\{0,3}')(?P<s>[^'\\\r\n]{1,256})"
        ),
    ),
    (
        "pgpass-password",
        (":5432:", ":6432:"),
        r"[\w.*-]{1,100}:[56]432:[\w.*-]{1,64}:[\w.*-]{1,64}:(?P<s>[^\s\"'`\\:]{1,128})",
    ),
    (
        "htpasswd-hash",
        ("$apr1$", "$2a$", "$2b$", "$2y$", "$argon2", "$6$", "$5$"),
        r"\$(?:apr1|2[aby]|argon2(?:id|i|d)|6|5)\$[\w./$=,+-]{20,200}",
    ),
)

# kind, outline, pattern
VAULT_RUN = "w." + "w" * 24
RUNS: tuple[tuple[str, str, str], ...] = (
    (
        "discord-token",
        "w" * 23 + "." + "w" * 6 + "." + "w" * 27,
        _EDGE + r"[MNO][\w-]{22,27}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])",
    ),
    (
        "facebook-token",
        "w" * 15 + "|" + "w" * 27,
        r"(?<![A-Za-z0-9])\d{15,16}\|[\w-]{27,40}(?![\w-])",
    ),
    (
        "facebook-token",
        "w" * 15 + "%" + "w" * 27,
        r"(?<![A-Za-z0-9])\d{15,16}%[\w-]{27,40}(?![\w-])",
    ),
    (
        "harness-token",
        "www." + "w" * 22 + "." + "w" * 24 + "." + "w" * 20,
        r"(?<![A-Za-z0-9])[ps]at\.[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}(?![\w-])",
    ),
    (
        "vault-token",
        VAULT_RUN,
        (
            r"s\.(?<![\w.]s\.)(?=[A-Za-z]{0,23}\d|(?:[a-z]{0,4}[A-Z]){8}|(?:[A-Z]{0,4}[a-z]){8}[A-Z])"
            r"[A-Za-z0-9]{24}(?![\w.(])"
        ),
    ),
    (
        "airtable-token",
        "w" * 17 + "." + "w" * 64,
        _EDGE + r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}(?![\w-])",
    ),
)


def outline(data: bytes) -> bytes:
    """Return the text with every character of a token drawn as `w`, so that `RUNS` are text."""
    return data.translate(_OUTLINE)


_OUTLINE = bytes(
    ord("w") if chr(byte).isascii() and (chr(byte).isalnum() or chr(byte) in "_-") else byte
    for byte in range(256)
)
