"""Write docs/agentic-event-schema.yaml from the table against which every event is checked.

python -m scripts.event_schema           writes the file
python -m scripts.event_schema --check   fails when the file is not what it would write
"""

from __future__ import annotations

import sys

from scripts.page import settle_page

from agentx.host.documents.yaml_file import YAML
from agentx.runs.pages.event_schema import write_schema

HEAD = """\
# Every event of a run is checked against this when it is written and when it is read
# (`agentx run event --schema` prints it). Made from the code: `make pages`.
"""


def write_page() -> str:
    """Return the file as it should be."""
    return HEAD + YAML.dump(write_schema()).decode("utf-8")


if __name__ == "__main__":
    sys.exit(settle_page("agentic-event-schema.yaml", write_page(), sys.argv[1:]))
