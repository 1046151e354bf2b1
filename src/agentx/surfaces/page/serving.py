"""The server of one project's page, put together."""

from __future__ import annotations

import errno

from agentx.kernel.errors import UnavailableError
from agentx.operations.recall.origins import origin_of_data
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.frame import PageAbout
from agentx.surfaces.page.guard import PageGuard
from agentx.surfaces.page.live import Watch
from agentx.surfaces.page.routes import perform
from agentx.surfaces.page.server import PageServer


def open_server(desk: PageDesk, port: int) -> PageServer:
    """Return the server of a desk's page, listening.

    Raises: UnavailableError where the port is taken.
    """
    entropy = desk.project.entropy
    try:
        server = PageServer(
            port,
            lambda bound: PageGuard(bound, entropy),
            lambda method, asked: perform(desk, method, asked),
            lambda: _describe(desk, server.guard.form_word),
        )
    except OSError as error:
        is_taken = error.errno == errno.EADDRINUSE
        why = "another program listens there" if is_taken else error.strerror or str(error)
        raise UnavailableError(
            f"port {port} of this machine cannot be had: {why}",
            hint="leave --port out, and a free one is taken",
        ) from error
    desk.form_word = server.guard.form_word
    server.watch = Watch(desk.look)
    return server


def _describe(desk: PageDesk, form_word: str) -> PageAbout:
    project = desk.project
    waiting = len(desk.list_waiting())
    return PageAbout(
        project=project.id,
        root=str(project.root),
        form_word=form_word,
        read_only=desk.read_only,
        origin=origin_of_data(project),
        waiting=waiting,
    )
