"""Goal: the generated code is what the proto says today.

Method: run the generator's own comparison. The text depends on the version of
grpcio-tools, so with another version only what the code describes is compared.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto

from agentx.memory.wire._generated import memory_pb2 as pb2

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    pytest.importorskip("grpc_tools")
    spec = importlib.util.spec_from_file_location(
        "generate_proto", ROOT / "scripts/generate_proto.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def without_derived(described: FileDescriptorProto) -> FileDescriptorProto:
    """Drop the names for JSON: protoc derives them, and the generated code leaves them out."""
    waiting = list(described.message_type)
    while waiting:
        message = waiting.pop()
        waiting.extend(message.nested_type)
        for field in message.field:
            field.ClearField("json_name")
    return described


def version_line(text: str) -> str:
    return next(line for line in text.splitlines() if "Protobuf Python Version:" in line)


def test_the_generated_code_is_up_to_date(generator: ModuleType) -> None:
    fresh: dict[str, str] = generator.generated()
    name = "memory_pb2.py"
    ours = (generator.TARGET / name).read_text("utf-8")

    if version_line(fresh[name]) != version_line(ours):
        pytest.skip("another grpcio-tools than the one that generated the code")

    assert generator.stale() == [], "run `make proto`"


def test_the_generated_code_describes_the_proto(generator: ModuleType, tmp_path: Path) -> None:
    generator._run_protoc(tmp_path)
    here = FileDescriptorProto()
    pb2.DESCRIPTOR.CopyToProto(here)

    assert without_derived(here) == without_derived(generator._described(tmp_path))


def test_generating_twice_gives_the_same_bytes(generator: ModuleType) -> None:
    assert generator.generated() == generator.generated()
