"""YAML documents that people write and git merges, edited under lock.

Only what JSON can hold: a time stays text. A key that stands twice, which is what a
merge of two branches leaves behind, is a fault and not a silent choice of the last.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from agentx.host.documents.document import Document, Fault, Format

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
    return {
        str(loader.construct_object(key, deep=True)): loader.construct_object(value, deep=True)
        for key, value in node.value
    }


def _once(loader: Loader, node: MappingNode) -> Document:
    seen: set[str] = set()
    for key, _ in node.value:
        if key.id != "scalar":
            raise _fault("a key must be text", key)
        if key.value in seen:
            raise _fault(f"the key {key.value!r} stands twice", key)
        seen.add(key.value)
    loader.flatten_mapping(node)
    return {
        str(loader.construct_object(key, deep=True)): loader.construct_object(value, deep=True)
        for key, value in node.value
    }


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
