"""`agentx completion`: what a shell runs to complete the names of commands and options.

Completing reads no store, no settings and no project: it knows what the program is made of.
"""

from __future__ import annotations

import click

from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.screen import write_drawn

VARIABLE = "_AGENTX_COMPLETE"
_SHELLS = ("bash", "zsh", "fish")


@click.command(cls=Verb)
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_obj
def command(invocation: Invocation, shell: str) -> None:
    """Write what a shell needs to complete commands and options.

    \b
    bash  eval "$(agentx completion bash)"          in ~/.bashrc
    zsh   eval "$(agentx completion zsh)"           in ~/.zshrc, after compinit
    fish  agentx completion fish > ~/.config/fish/completions/agentx.fish
    """
    script = write_script(click.get_current_context().find_root().command, shell)
    if invocation.as_json:
        invocation.write({"shell": shell, "script": script}, "")
    else:
        write_drawn(script)


def write_script(program: click.Command, shell: str) -> str:
    """Return the script that a shell runs to complete the words of a program."""
    from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

    made: type[ShellComplete] = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}[
        shell
    ]
    writer = made(program, {}, "agentx", VARIABLE)
    # Not `source`, which asks bash for its version: the file may be for another machine.
    return writer.source_template % writer.source_vars() + "\n"
