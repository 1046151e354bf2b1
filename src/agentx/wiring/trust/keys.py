"""Whose words count in a project's repository, opened: for questions and for runs."""

from __future__ import annotations

import re

from agentx.host.git.facts import user_name
from agentx.kernel.text import fold_text, preview, printable
from agentx.project.project import Project
from agentx.project.trust.ed25519 import fingerprint
from agentx.project.trust.keyring import Keyring
from agentx.project.trust.writers import Hand

_NAME_CHARS_MAX = 40
# A name stands within a sentence: it ends none, asks nothing and is no reference.
_NO_NAME = re.compile(r"""[][(){}<>:;,!?"\u201c-\u201e\xab\xbb|/\\#*`]+""")


def open_keyring(project: Project, hand: Hand | None = None) -> Keyring:
    """Return whose words count in a project's repository."""
    return Keyring(
        project.trust,
        hand or Hand(project.data, project.root, project.entropy),
        project_id=project.id,
        clock=project.clock,
        entropy=project.entropy,
        says=lambda: user_name(project.root) if project.trust.common is not None else "",
    )


def show_owner(keyring: Keyring, key: str) -> str:
    """Return what the owner of a key is called, as it may be told; nothing where nobody knows."""
    name = keyring.name_owner(key) if key else ""
    return preview(fold_text(_NO_NAME.sub(" ", printable(name))), _NAME_CHARS_MAX)


def name_own_key(project: Project) -> str:
    """Return by what the user's own key is known; nothing where there is none."""
    own = open_keyring(project).own
    return fingerprint(own) if own else ""
