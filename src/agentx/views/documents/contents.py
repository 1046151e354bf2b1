"""The table of contents as a room: a node is a part, its version the stamp."""

from __future__ import annotations

from collections.abc import Iterator

from agentx.conversation.store.feed import Feed
from agentx.kernel.ids import NodeId
from agentx.search.document import Document
from agentx.views.documents.conversation import node_document


class TocSource:
    """The nodes of one project, for a view that follows rooms by their stamps."""

    name = "toc"

    def __init__(self, nodes: Feed, project: str) -> None:
        self._nodes = nodes
        self._project = project

    def parts(self) -> Iterator[tuple[str, str]]:
        """Yield the id of each node with its version."""
        for node_id, version in self._nodes.node_versions():
            yield node_id, str(version)

    def documents(self, key: str) -> Iterator[Document]:
        """Yield a node as a document; nothing when it is gone."""
        node = self._nodes.node(NodeId(key))
        if node is not None:
            yield node_document(node, self._project)
