"""Notes of what sessions were told, left in the spool as the hook leaves them."""

from __future__ import annotations

from agentx.project.project import Project
from agentx.surfaces.hooks.spool import Caller, header


def spool_note(project: Project, name: str, ids: tuple[str, ...]) -> None:
    """Leave a note as the hook does."""
    listed = ",".join(f'"{each}"' for each in ids)
    payload = f'{{"session_id":"told","digest":"d","chars":9,"ids":[{listed}]}}'.encode()
    call = Caller("codex", int(project.clock.now_ms()), str(project.root), "")
    spool = project.data.spool(str(project.root))
    for folder in (spool.tmp, spool.new):
        folder.mkdir(parents=True, exist_ok=True)
    spool.directory.write_text(str(project.root))
    content = header(call, len(payload), cut=False, kind="injected") + payload
    (spool.new / f"{name}.evt").write_bytes(content)
