"""The table of contents as a room: a node is a part, its version the stamp."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from agentx.conversation.toc_model import TocNode
from agentx.kernel.ids import NodeId
from agentx.search.document import Document
from agentx.views.documents.conversation import node_document


class Nodes(Protocol):
    """What is read of a table of contents."""

    def node_versions(self) -> list[tuple[NodeId, int]]: ...

    def node(self, node_id: NodeId) -> TocNode | None: ...


class TocSource:
    """The nodes of one project, for a view that follows rooms by their stamps."""

    name = "toc"

    def __init__(self, nodes: Nodes, project: str) -> None:
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
