"""The names that tell a secret: of passwords in many languages, of keys, of those who sell them.

`NAMED` are stems of names; what stands around a stem decides whether it is one. `VENDORS`
are services whose name alone, given a random value, tells that it is a key: `ADAFRUIT=...`.
Both are searched for as plain text before any pattern is compiled.
"""

# Ends a common word that counts only where it stands as a name: before a sign, not a letter.
SIGN = "\x01"
SIGNS = ("=", ":", '"', "'", "\\", " =", " :", "  ", "\t", ">", "[", "`")

# A key of anything, or a token, that something random is given to.
KEY_GIVEN = "key="
TOKEN_GIVEN = "token="

# Passwords in other languages: the stem, and what may follow it. In the order of the alphabet.
_FOREIGN: tuple[tuple[str, str], ...] = (
    ("adgangskode", ""),  # Danish
    ("contrase", "(?:n|\\u00f1|n\\u0303)as?"),  # Spanish
    ("contrasen", "yas?"),  # Catalan
    ("geslo", ""),  # Slovene
    ("haslo", ""),  # Polish
    ("has\u0142o", ""),
    ("heslo", ""),  # Czech, Slovak
    ("jelsz", "[o\\u00f3]"),  # Hungarian
    ("kata sandi", ""),  # Indonesian
    ("kata_sandi", ""),
    ("kennwort", ""),  # German
    ("losenord", ""),  # Swedish
    ("l\u00f6senord", ""),
    ("lozinka", ""),  # Croatian
    ("mdp", ""),  # French
    ("mot", "[ _-]?de[ _-]?passe"),
    ("m\u1eadt kh\u1ea9u", ""),  # Vietnamese
    ("parola", ""),  # Italian, Romanian, Turkish
    ("salasana", ""),  # Finnish
    ("senha", ""),  # Portuguese
    ("sifre", ""),  # Turkish
    ("\u015fifre", ""),
    ("wachtwoord", ""),  # Dutch
    ("\u03ba\u03c9\u03b4\u03b9\u03ba\u03cc\u03c2", ""),  # Greek
    ("\u043f\u0430\u0440\u043e\u043b", "[\\u044c\\u044f\\u0430\\u042c]?"),  # Russian, Ukrainian
    ("\u05e1\u05d9\u05e1\u05de\u05d4", ""),  # Hebrew
    ("\u05e1\u05d9\u05e1\u05de\u05d0", ""),
    ("\u0643\u0644\u0645\u0629 \u0627\u0644\u0645\u0631\u0648\u0631", ""),  # Arabic
    ("\u092a\u093e\u0938\u0935\u0930\u094d\u0921", ""),  # Hindi
    ("\u30d1\u30b9\u30ef\u30fc\u30c9", ""),  # Japanese
    ("\u5bc6\u7801", ""),  # Chinese
    ("\u5bc6\u78bc", ""),
    ("\ube44\ubc00\ubc88\ud638", ""),  # Korean
)


def _spell(stem: str) -> tuple[str, ...]:
    """Return a stem as bytes may show it: other scripts in each case, and escaped in JSON."""
    if stem == "mot":
        return tuple(f"de{between}passe{SIGN}" for between in (" ", "_", "-", ""))
    if stem.isascii():
        return (stem + SIGN if len(stem) < 8 else stem,)
    cases = dict.fromkeys((stem, stem.capitalize(), stem.upper()))
    return (*cases, *("".join(map(_escape, case)) for case in cases))


def _escape(char: str) -> str:
    return char.lower() if char.isascii() else f"\\u{ord(char):04x}"


# kind, words (lower case) that make it worth looking, stem of the name, rest of the name
NAMED: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    (
        "password",
        ("passw", "passphrase", "passcode", "passord" + SIGN, "pass" + SIGN),
        "pass",
        r"(?:w(?:or)?[dt]|wrd|phrase|code|ord)?",
    ),
    ("password", ("pwd" + SIGN,), "pwd", r""),
    ("password", ("psk" + SIGN,), "psk", r""),
    (
        "key",
        (
            *("api_key", "api-key", "apikey", "api key", "access_key", "access-key", "accesskey"),
            *("private_key", "private-key", "privatekey", "key-data", "key_data", "secretkey"),
            *("accountkey", "masterkey", "signingkey", "encryptionkey", "authkey", "keydata"),
            *("_key=", "_key:", '_key"', "_key'", "_key =", "_key\\", "_key]", "-key:", "-key="),
            KEY_GIVEN,
        ),
        "key",
        r"(?:[_-]?data|[_-]?id)?",
    ),
    ("secret", ("secret",), "secret", r""),
    ("secret", ("clave" + SIGN,), "clave", r""),
    (
        "token",
        ("token" + SIGN, TOKEN_GIVEN, "-token ", "token is", "token was", "token("),
        "token",
        r"",
    ),
    ("token", ("_pat=", "_pat:", "_pat ", "-pat "), "_pat", r""),
    ("credential", ("credential" + SIGN, "credentials" + SIGN), "credential", r"s?"),
    ("credential", ('"auth' + SIGN, "'auth" + SIGN, "_auth" + SIGN), "auth", r""),
    *(("password", _spell(stem), stem, rest) for stem, rest in _FOREIGN),
)

# What stands before `key` when it is a secret one; `cache_key` and `primary_key` are not.
SECRET_KEYS = (
    *("api", "apis", "access", "private", "secret", "signing", "encryption", "master", "account"),
    *("storage", "license", "service", "app", "application", "admin", "auth", "session", "shared"),
    *("hmac", "jwt", "deploy", "webhook", "consumer", "subscription", "ingest", "write", "server"),
    *("function", "functions", "fastly", "root", "cipher", "crypto", "aes", "ssh", "gpg", "site"),
    *("client", "db", "datadog", "rsa", "ec", "tls", "ssl"),
)
# What stands before `key` when everybody may see it, however random it looks.
OPEN_KEYS = (
    *("public", "pub", "cache", "primary", "foreign", "partition", "sort", "object", "idempotency"),
    *("hash", "query", "row", "range", "publishable", "group", "dedup", "deduplication", "s3"),
    *(
        "react",
        "etag",
        "lookup",
        "index",
        "storage_object",
        "recaptcha_site",
        "translation",
        "i18n",
    ),
)
# What stands before `token` when it is a place in a list, not a secret.
OPEN_TOKENS = (
    *("next", "page", "nextpage", "prev", "previous", "prevpage", "previouspage", "continuation"),
    *("pagination", "cursor", "start", "starting", "sync", "nextsync", "resume", "skip", "change"),
    *("marker", "paging", "cancellation", "cancel", "scroll", "position", "last", "first"),
)
# What stands before `pat` when it is a personal access token.
TOKEN_OWNERS = ("gh", "github", "gl", "gitlab", "azure", "devops", "ado", "access", "bitbucket")

# Services whose keys look like any random text; in the order of the alphabet.
VENDORS = tuple(
    """
    adafruit adobe airtable algolia alibaba amplitude artifactory asana assemblyai atlassian auth0
    beamer bintray bitbucket bittrex bugsnag bundle_enterprise__contribsys__com
    bundle_gems__contribsys__com cloudflare cloudinary codecov cohere coinbase confluence
    confluent contentful contribsys datadog deepgram deepseek digitalocean discord dnkey droneci
    dropbox elevenlabs etsy facebook fastly finicity finnhub flickr freemius freshbooks gitter
    gocardless heroku honeycomb hubspot intercom jfrog jira klaviyo kraken kucoin launchdarkly
    linear linked-in linked_in linkedin lob looker mailchimp mailgun mapbox mattermost meraki
    message-bird message_bird messagebird mistral mixpanel netlify new-relic new_relic newrelic
    newyorktimes nytimes okta opsgenie pagerduty plaid posthog postmark private-ai private_ai
    privateai pusher rapidapi rollbar sendbird sentry shodan sidekiq snyk sonar sourcegraph
    spotify squarespace sumo sumologic supabase telegr telegram travis trello twilio twitch
    twitter typeform vercel virustotal weatherapi xray yandex zendesk zoom
    """.split()
)
# Those whose keys are UUIDs; any other UUID is only a name for something.
UUID_VENDORS = ("heroku", "hubspot", "kucoin", "bird", "squarespace", "snyk")
