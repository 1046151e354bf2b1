"""How a program says that a person says something."""

from __future__ import annotations

import click

as_person = click.option(
    "--as-person",
    is_flag=True,
    help="A program says what a person said; kept as unconfirmed. At a terminal it is not needed.",
)
