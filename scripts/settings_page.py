"""Write docs/settings.md, the table of every setting and who may set it, from the code.

python -m scripts.settings_page           writes the page
python -m scripts.settings_page --check   fails when the page is not what it would write
"""

from __future__ import annotations

import sys

from scripts.page import settle_page

from agentx.project.config import variable_of
from agentx.project.setting_rows import SettingRow, list_defaults, list_persons, list_shared

HEAD = """\
# Settings

Made from the declarations of the settings by `scripts/settings_page.py`. `agentx config` shows
every setting with its value and where that comes from, in this order:

1. the environment variable;
2. your own settings for one project: `agentx config set --here KEY VALUE`, kept in
   `$XDG_CONFIG_HOME/agentx/projects/<project>.toml`, named after the id that git or the folder
   gives;
3. the repository's `.agentx/config.toml`, once you trust its content (`agentx trust`), and only
   what the table marks as *shared*; any other key in it is passed over, and `status` and `doctor`
   name it;
4. your settings for all projects: `agentx config set --user KEY VALUE`, kept in
   `$XDG_CONFIG_HOME/agentx/config.toml`;
5. the default.

Without `--here` or `--user`, `config set` writes a shared setting into the repository's file and
any other into your own for this project. What is marked *yours* decides whose words are a person's,
what is run for one, or whether memory is kept and told: no agent can change it, and a try stands in
the audit log.

| setting | what it does | default | may a repository set it | variable |
|---|---|---|---|---|
"""

PROCESS = {
    "`AGENTX_PAGER`, `PAGER`": (
        "What shows answers that are longer than the terminal; `cat` or nothing writes them at "
        "once, as `--no-pager` does."
    ),
    "`NO_COLOR`, `FORCE_COLOR`, `COLUMNS`": (
        "No colours; a terminal although it is none; its width. What goes into a pipe is never "
        "cut or wrapped."
    ),
}
TAIL = """
What is said for one process, and is no setting:

| variable | what it does |
|---|---|
"""


def write_page() -> str:
    """Return the page as it should be."""
    rows = map(_write_row, list_defaults())
    told = "".join(f"| {name} | {about} |\n" for name, about in PROCESS.items())
    return HEAD + "".join(rows) + TAIL + told


def _write_row(row: SettingRow) -> str:
    who = "yes, *shared*" if row.key in list_shared() else "no"
    who = "no, *yours*" if row.key in list_persons() else who
    default = f"`{str(row.default).lower() if isinstance(row.default, bool) else row.default}`"
    cells = (
        f"`{row.key}`",
        row.about.replace("|", "\\|"),
        default if row.default != "" else "",
        who,
        f"`{variable_of(row.key)}`",
    )
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    sys.exit(settle_page("settings.md", write_page(), sys.argv[1:]))
