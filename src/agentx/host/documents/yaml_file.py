"""YAML documents that people write and git merges, edited under lock.

Only what JSON can hold: a time stays text. A key that stands twice, which is what a
merge of two branches leaves behind, is a fault and not a silent choice of the last.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from agentx.host.documents.document import Document, Fault, Format
from agentx.host.limits import DOCUMENT_DEPTH_MAX, DOCUMENT_PARTS_NAMED_MAX

if TYPE_CHECKING:
    import yaml
    from yaml.nodes import MappingNode, ScalarNode

    Loader = yaml.CSafeLoader
    Dumper = yaml.SafeDumper | yaml.CSafeDumper

# The library takes longer to import than most commands take to run, and many of them read no
# YAML: it is imported by those that do.

_TIMESTAMP = "tag:yaml.org,2002:timestamp"
_TEXT = "tag:yaml.org,2002:str"


def _first(loader: Loader, node: MappingNode) -> Document:
    node.value.reverse()
    found = _last(loader, node)
    return dict(reversed(found.items()))


def _last(loader: Loader, node: MappingNode) -> Document:
    _check_keys(node)
    return {
        str(loader.construct_object(key, deep=True)): loader.construct_object(value, deep=True)
        for key, value in node.value
    }


def _once(loader: Loader, node: MappingNode) -> Document:
    seen: set[str] = set()
    _check_keys(node)
    for key, _ in node.value:
        if key.value in seen:
            raise _fault(f"the key {key.value!r} stands twice", key)
        seen.add(key.value)
    loader.flatten_mapping(node)
    return {
        str(loader.construct_object(key, deep=True)): loader.construct_object(value, deep=True)
        for key, value in node.value
    }


def _check_keys(node: MappingNode) -> None:
    """Refuse a key that is a document itself: spelled as text, each level doubles it."""
    for key, _ in node.value:
        if key.id != "scalar":
            raise _fault("a key must be text", key)


def _text(dumper: Dumper, text: str) -> ScalarNode:
    # Several lines are read as lines, not as one line with escapes.
    style = "|" if "\n" in text else None
    # YAML has no way to write half of a surrogate pair.
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return dumper.represent_scalar(_TEXT, whole, style=style)


def _fault(problem: str, node: yaml.Node) -> yaml.MarkedYAMLError:
    import yaml  # noqa: PLC0415  see above

    return yaml.constructor.ConstructorError(None, None, problem, node.start_mark)


Mapping = Callable[["Loader", "MappingNode"], Document]


@cache
def _loader(mapping: Mapping) -> type[Loader]:
    """Return a safe loader that leaves times as text and makes mappings in its own way."""
    import yaml  # noqa: PLC0415  see above

    class OwnLoader(yaml.CSafeLoader):
        pass

    OwnLoader.yaml_implicit_resolvers = {
        letter: [(tag, pattern) for tag, pattern in resolvers if tag != _TIMESTAMP]
        for letter, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }
    OwnLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, mapping)
    return OwnLoader


@cache
def _dumper(*, fast: bool) -> type[Dumper]:
    """Return a dumper that writes lines as lines."""
    import yaml  # noqa: PLC0415  see above

    parent: Any = yaml.CSafeDumper if fast else yaml.SafeDumper
    made: type[Dumper] = type("OwnDumper", (parent,), {})
    made.add_representer(str, _text)
    return made


def _parse(raw: bytes, mapping: Mapping = _once) -> Document | Fault:
    import yaml  # noqa: PLC0415  see above

    try:
        if (_may_be_deep(raw) or b"*" in raw) and (fault := _find_excess(raw)):
            return fault
        value = yaml.load(raw, Loader=_loader(mapping))  # noqa: S506  safe loaders that also mind doubles
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        return Fault(line=1 if mark is None else mark.line + 1, reason=str(error.problem))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return Fault(line=1, reason=str(error))
    if value is None:
        return {}
    if not isinstance(value, dict):
        return Fault(line=1, reason="a mapping was expected")
    return value


def _may_be_deep(raw: bytes) -> bool:
    """Tell cheaply whether a text could be nested too deep: few can.

    A level begins with a bracket, or stands further to the right than the one that holds it; only
    a list may begin in the column of its key.
    """
    columns = max(map(len, raw.splitlines()), default=0)
    return raw.count(b"[") + raw.count(b"{") + 2 * columns > DOCUMENT_DEPTH_MAX


def _find_excess(raw: bytes) -> Fault | None:
    """Return what is too much about a text: nested too deep, or unfolding without measure.

    The library builds what it reads by calling itself in C, without a bound, and the process dies
    of it; and what names parts that name parts doubles with every line. To tell its parts one after
    the other takes neither depth nor room.
    """
    import yaml  # noqa: PLC0415  see above

    open_parts: list[tuple[str, int]] = []  # by what name, and how many parts came before
    sizes: dict[str, int] = {}
    named = 0
    for written, part in enumerate(yaml.parse(raw, Loader=yaml.CSafeLoader)):
        line = int(part.start_mark.line) + 1
        if isinstance(part, yaml.AliasEvent):
            named += sizes.get(part.anchor or "", 0)
        elif isinstance(part, yaml.CollectionStartEvent):
            open_parts.append((part.anchor or "", written + named))
        elif isinstance(part, yaml.CollectionEndEvent):
            anchor, before = open_parts.pop()
            sizes[anchor] = written + named - before
        if len(open_parts) > DOCUMENT_DEPTH_MAX:
            return Fault(line=line, reason=f"nested deeper than {DOCUMENT_DEPTH_MAX} levels")
        if named > DOCUMENT_PARTS_NAMED_MAX:
            return Fault(line=line, reason="it names parts of itself over and over")
    return None


def readings(raw: bytes) -> tuple[Document, ...]:
    """Return what a text may mean in which a merge left keys that stand twice.

    Once with the first value of each such key, once with the last; nothing where it is no YAML
    for another reason.
    """
    found = (_parse(raw, mapping) for mapping in (_first, _last))
    return tuple(each for each in found if not isinstance(each, Fault))


def _dump(document: Document) -> bytes:
    dumped = _dump_with(document, fast=True)
    # The fast one writes emoji as escapes; the other, ten times slower, as they are.
    return _dump_with(document, fast=False) if b"\\U000" in dumped else dumped


def _dump_with(document: Document, *, fast: bool) -> bytes:
    import yaml  # noqa: PLC0415  see above

    dumped: bytes = yaml.dump(
        document,
        Dumper=_dumper(fast=fast),
        allow_unicode=True,
        sort_keys=False,
        default_flow_style=False,
        width=100,
        encoding="utf-8",
    )
    return dumped


YAML = Format(name="YAML", parse=_parse, dump=_dump)
