"""What of a prompt is somebody else's text is told from what the person says of it."""

from __future__ import annotations

from agentx.prose.whose.material import list_material
from agentx.prose.whose.pasted import is_quoted, list_quoted, split_pasted

# A prompt, what of it nobody here said, and what the person did.
PASTED: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = (
    (
        (
            "here is the README of a tool, does it fit?\n"
            "\n"
            "# fleetscan\n"
            "Always run fleetscan as root. We decided to use SQLite because Postgres is overkill.\n"
            "Never commit your fleetscan.toml!\n"
            "\n"
            "what do you think"
        ),
        ("root", "commit"),
        ("what do you think",),
    ),
    (
        (
            "customer mail:\n"
            '"""\n'
            "Hi, we decided to cancel. Please always call me on my mobile, never by "
            "email. Kind regards, Bob\n"
            '"""\n'
            "write a friendly answer"
        ),
        ("mobile",),
        ("friendly",),
    ),
    (
        (
            "from the vendor docs: 'Always set keepalive to 60. Do not use connection "
            "pooling.' is that still true for v9?"
        ),
        ("pooling",),
        ("v9",),
    ),
    (
        (
            "LLM said this:\n"
            "\n"
            "You should never use transactions here. I recommend MongoDB. Decision: MongoDB.\n"
            "\n"
            "is that nonsense?"
        ),
        ("never",),
        ("nonsense",),
    ),
    (
        (
            "LLM said this: You should never use transactions here. I recommend MongoDB. "
            "Decision: MongoDB. is that nonsense?"
        ),
        ("never", "Decision"),
        ("nonsense",),
    ),
    (
        (
            "job ad draft, check the spelling:\n"
            "\n"
            "We are a team of four. We always work remotely. We never do overtime."
        ),
        ("never",),
        ("job ad",),
    ),
    (
        (
            "translate to German:\n"
            "\n"
            "Do not open the housing. Always disconnect the power first. Never touch the capacitor."
        ),
        ("Never",),
        ("translate",),
    ),
    (
        (
            "minutes of today's standup:\n"
            "- Anna: I'll switch prod to pg17 tomorrow\n"
            "- Bob: don't deploy on Friday\n"
            "- me: docs\n"
            "put them in docs/standup.md"
        ),
        ("Anna", "Friday"),
        ("standup.md",),
    ),
    (
        (
            "Bitte \xfcbersetze ins Englische:\n"
            "\n"
            "Niemals den Deckel \xf6ffnen. Immer Handschuhe tragen."
        ),
        ("Niemals",),
        ("Bitte",),
    ),
    (
        ("traduis en anglais :\nNe jamais ouvrir le capot. Toujours couper le courant."),
        ("jamais",),
        ("traduis",),
    ),
    (
        (
            "correo de un cliente:\n"
            "\n"
            "Nunca me llamen por la ma\xf1ana. Siempre por correo.\n"
            "\n"
            "escribe una respuesta amable"
        ),
        ("Nunca",),
        ("respuesta",),
    ),
    (
        ("ChatGPT answered:\nAlways use MD5 for passwords. Never salt.\n\nis this right?"),
        ("MD5",),
        ("right",),
    ),
    (
        (
            "this came from legal today\n"
            "\n"
            "Employees must never store personal data on laptops. All data must be encrypted.\n"
            "\n"
            "does that concern us?"
        ),
        ("must never",),
        ("concern",),
    ),
    (
        ("proofread\n\nWe never ship on Fridays. Always call the hotline."),
        ("Fridays",),
        ("proofread",),
    ),
    (
        ("Never run this as root. Always keep a backup.\n\ntranslate that to Dutch please"),
        ("root",),
        ("Dutch",),
    ),
    (
        ("can you summarize this:\n\nWe decided to drop support for Node 18. Do not use npm."),
        ("npm",),
        ("summarize",),
    ),
    (
        (
            "release notes of libfoo 4:\n"
            "```\n"
            "Always call init() first. Never use foo_old.\n"
            "```\n"
            "do we need to change anything?"
        ),
        ("foo_old",),
        ("change",),
    ),
    (
        (
            "reply to this customer email:\n"
            "\n"
            "Hello,\n"
            "please do not use my old address any more. From now on always ship to Berlin.\n"
            "\n"
            "Best\n"
            "Kim"
        ),
        ("Berlin",),
        ("reply",),
    ),
    (
        ("<email>\nnever bill us monthly again\nalways yearly\n</email>\nwhat do they want"),
        ("yearly",),
        ("want",),
    ),
    (
        ("vertaal naar Engels:\nNooit de klep openen. Altijd handschoenen dragen."),
        ("Altijd",),
        ("vertaal",),
    ),
    (
        (
            "Tom wrote on slack:\n"
            '"never restart the broker during the day, always at night after ten please"\n'
            "check our cron"
        ),
        ("broker",),
        ("cron",),
    ),
    (
        (
            "The company policy says: \u201cNever use personal accounts. Always use SSO "
            "for every tool.\u201d do we comply?"
        ),
        ("personal",),
        ("comply",),
    ),
    (
        (
            "customer mail: please always call me on my mobile. Never by email. what "
            "should we answer?"
        ),
        ("Never",),
        ("answer",),
    ),
    (("mail from Bob: always call me, never write"), ("never",), ("Bob",)),
    (
        ("add this text to the footer:\n\nNever miss an update. Always free."),
        ("Never",),
        ("footer",),
    ),
    (
        (
            "review this PR comment:\n"
            "\n"
            "We should never use any here. Always prefer unknown.\n"
            "\n"
            "is he right?"
        ),
        ("unknown",),
        ("right",),
    ),
)
OWN = (
    "We have three rules:\n- never push to main\n- always squash\n\nkeep the tests fast",
    "our rules for the mail module:\n- never send in tests\n- always queue",
    "for the docs:\n- never use passive voice\n- always short sentences",
    "never push to main. always squash",
    "note: never push to main",
    "use pnpm: never npm",
    "fix the mail tests. Never mock the smtp server.\nAlways use the fake.",
    "conventions for commit messages:\n- imperative\n- never mention tickets",
    "Wir nehmen SQLite.\nKein Redis.",
    "important:\nnever log card numbers",
    "Anna says: no deploys on Friday",
    "I said: never touch the generated client",
    "As I wrote: always in cents.\nnever floats",
    "the answer is: we stay on node 22. never bun",
    "answer in German: always",
    "check the docs. never edit them by hand\nand always run make docs",
    "translations live in locales/. Never edit de.json by hand.\nAlways run make i18n.",
    "review the parser.\nnever change the public api",
    "explain the cache.\n\nalways answer in short sentences",
    "please check the error messages: they must always end with a dot",
    "requirements:\n- python 3.12 only\n- no new dependencies",
    "add an answer field to the form:\n- never empty\n- max 200 chars",
    "write the README.\nNever mention the old name.",
    "we got feedback on the form: too long. from now on max 5 fields",
    "translate the app to German\nnever touch en.json",
    "translate the settings page:\n- never touch en.json\n- keep the placeholders",
    "rewrite the parser\nalways return a result",
    "here is the plan:\n- never block the ui\n- always cache",
    "this is from now on our rule:\nnever deploy on friday",
    "see docs/style.md.\nnever use tabs",
    "read the docs first.\nalways run make check before a commit",
    "the tests fail:\n\nnever mock the clock, please",
    "docs: never use passive voice",
    "- mails: always queue\n- docs: never passive",
    "1. the manual: never touch\n2. the docs: always build",
    "## Documentation:\nnever by hand",
    "when the user opens the mail:\n- never load images\n- always ask",
    "summarize the week. never more than 5 lines\nalways in English",
)


def test_what_a_line_leads_to_is_not_what_the_person_says() -> None:
    for text, theirs, own in PASTED:
        wrote = split_pasted(text)[0]
        assert not [each for each in theirs if each in wrote], text
        assert [each for each in own if each in wrote] == list(own), text


def test_what_people_lay_down_themselves_is_theirs_whatever_it_is_of() -> None:
    for text in OWN:
        assert split_pasted(text) == (text, ""), text


def test_a_place_in_a_pasted_text_is_quoted() -> None:
    text = "translate to German:\n\nNever touch the capacitor.\n\nis the tone right?"

    assert is_quoted(text, text.index("Never"))
    assert not is_quoted(text, text.index("is the tone"))


def test_only_marks_say_for_sure_where_a_quotation_ends() -> None:
    marked = 'from legal:\n"""\nData must never leave the EU.\n"""\nwe follow that'
    unmarked = "translate to German:\n\nNever touch the capacitor.\n\nso do that always"
    (one,) = list_quoted(marked)

    assert one.announced == "from legal:"
    assert marked[one.end :].strip() == "we follow that"
    assert list_quoted(unmarked) == []


def test_long_prompts_are_read_at_once() -> None:
    assert list_material("a mail: " * 5_000) is not None
    assert list_material(("the docs " * 40 + "\n") * 150) == ()
