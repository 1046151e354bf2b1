"""YAML documents that people write and git merges, edited under lock.

Only what JSON can hold: a time stays text. A key that stands twice, which is what a
merge of two branches leaves behind, is a fault and not a silent choice of the last.
"""

from __future__ import annotations

from pathlib import Path

import yaml
from yaml.nodes import MappingNode, ScalarNode

from agentx.host.atomic import PRIVATE_FILE
from agentx.host.document import Document, DocumentFile, Fault, Format
from agentx.kernel.clock import Clock

_TIMESTAMP = "tag:yaml.org,2002:timestamp"
_TEXT = "tag:yaml.org,2002:str"


def yaml_file(
    path: Path, clock: Clock, *, owner: str = "agentx", mode: int = PRIVATE_FILE
) -> DocumentFile:
    """Return the YAML document at a path; `owner` is the name in its lock."""
    return DocumentFile(path, YAML, clock, owner=owner, mode=mode)


class _Loader(yaml.CSafeLoader):
    pass


class _FastDumper(yaml.CSafeDumper):
    pass


class _WholeDumper(yaml.SafeDumper):
    pass


def _mapping(loader: _Loader, node: MappingNode) -> Document:
    seen: set[str] = set()
    for key, _ in node.value:
        if not isinstance(key, ScalarNode):
            raise _fault("a key must be text", key)
        if key.value in seen:
            raise _fault(f"the key {key.value!r} stands twice", key)
        seen.add(key.value)
    loader.flatten_mapping(node)
    return {
        str(loader.construct_object(key, deep=True)): loader.construct_object(value, deep=True)
        for key, value in node.value
    }


def _text(dumper: yaml.SafeDumper | yaml.CSafeDumper, text: str) -> ScalarNode:
    # Several lines are read as lines, not as one line with escapes.
    style = "|" if "\n" in text else None
    # YAML has no way to write half of a surrogate pair.
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return dumper.represent_scalar(_TEXT, whole, style=style)


def _fault(problem: str, node: yaml.Node) -> yaml.MarkedYAMLError:
    return yaml.constructor.ConstructorError(None, None, problem, node.start_mark)


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in resolvers if tag != _TIMESTAMP]
    for letter, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
_FastDumper.add_representer(str, _text)
_WholeDumper.add_representer(str, _text)


def _parse(raw: bytes) -> Document | Fault:
    try:
        value = yaml.load(raw, Loader=_Loader)  # noqa: S506  a safe loader that also rejects doubles
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


def _dump(document: Document) -> bytes:
    dumped = _dumped(document, _FastDumper)
    # The fast one writes emoji as escapes; the other, ten times slower, as they are.
    return _dumped(document, _WholeDumper) if b"\\U000" in dumped else dumped


def _dumped(document: Document, dumper: type[yaml.SafeDumper | yaml.CSafeDumper]) -> bytes:
    dumped: bytes = yaml.dump(
        document,
        Dumper=dumper,
        allow_unicode=True,
        sort_keys=False,
        default_flow_style=False,
        width=100,
        encoding="utf-8",
    )
    return dumped


YAML = Format(name="YAML", parse=_parse, dump=_dump)
