"""The file that agent CLIs call: a few lines of shell with two absolute paths.

`agentx setup` writes it to one place that stays the same across versions, because
agent CLIs trust a hook by its command line. If AgentX is gone, it reads what it is
given and says nothing: an agent must not notice.
"""


def launcher_text(python: str, main: str) -> str:
    """Return the launcher that starts `main` with the interpreter `python`."""
    return f"""#!/bin/sh
# Written by `agentx setup`: captures what an agent CLI tells its hooks.
python={_quote(python)}
main={_quote(main)}
if [ -x "$python" ] && [ -f "$main" ]; then
    "$python" -I -S "$main" "$@" 2>/dev/null
else
    cat >/dev/null 2>&1
fi
exit 0
"""


def _quote(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
