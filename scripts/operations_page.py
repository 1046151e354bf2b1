"""Write docs/operations.md, the table of every operation on every surface, from the code.

python -m scripts.operations_page           writes the page
python -m scripts.operations_page --check   fails when the page is not what it would write
"""

from __future__ import annotations

import inspect
import sys
from importlib import import_module

from scripts.page import settle_page

from agentx.operations.table import OPERATIONS, Operation

HEAD = """\
# Every operation on every surface

Made from `OPERATIONS` (`src/agentx/operations/table.py`) by `scripts/operations_page.py`; a test
holds the two, and every surface, together. A command is called as `agentx COMMAND`; a verb lives
below `agentx`; a place of the page is an address of `agentx view`. An empty cell means that a
surface does not have the verb.

| operation | what it does | command | MCP | gRPC | hook | page | lives in |
|---|---|---|---|---|---|---|---|
"""


def find_verb(operation: Operation) -> object:
    """Return what an operation's name stands for.

    Raises: ImportError, AttributeError when there is no such thing.
    """
    module, _, path = operation.verb.partition(":")
    found: object = import_module(f"agentx.{module}")
    for name in path.split("."):
        found = getattr(found, name)
    return found


def write_page() -> str:
    """Return the page as it should be."""
    return HEAD + "".join(_write_row(operation) for operation in OPERATIONS)


def _write_row(operation: Operation) -> str:
    said = (inspect.getdoc(find_verb(operation)) or "").partition("\n\n")[0].replace("\n", " ")
    surfaces = (operation.cli, operation.mcp, operation.grpc, operation.hook, operation.page)
    names = (", ".join(f"`{name}`" for name in each) for each in surfaces)
    cells = (operation.name, said.replace("|", "\\|"), *names, f"`{operation.verb}`")
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    sys.exit(settle_page("operations.md", write_page(), sys.argv[1:]))
