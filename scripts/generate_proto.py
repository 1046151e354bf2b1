"""Write the Python code of `proto/` into `src/agentx/memory/wire/_generated/`.

The same proto and the same grpcio-tools give the same bytes. What protoc writes
names itself by the path of the proto file; here it becomes one flat package. There are
no stubs: the table of calls serves and asks (`memory.wire.calls`).

    python scripts/generate_proto.py            write the files
    python scripts/generate_proto.py --check    exit 1 if they differ from what would be written
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from grpc_tools import protoc  # type: ignore[import-untyped]  # it has no types

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "proto"
PROTO = "agentx/v1/memory.proto"
TARGET = ROOT / "src" / "agentx" / "memory" / "wire" / "_generated"
PACKAGE = "agentx.memory.wire._generated"


def generated() -> dict[str, str]:
    """Return every generated file: name to text."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        _run_protoc(out)
        module = Path(PROTO).with_suffix("")
        pb2 = (out / f"{module}_pb2.py").read_text("utf-8")
        types = (out / f"{module}_pb2.pyi").read_text("utf-8")
    name = module.name
    by_path = ".".join(module.parent.parts)
    return {
        "__init__.py": '"""Written by scripts/generate_proto.py out of proto/: do not edit."""\n',
        f"{name}_pb2.py": _replaced(pb2, f"'{by_path}.{name}_pb2'", f"'{PACKAGE}.{name}_pb2'"),
        f"{name}_pb2.pyi": types,
    }


def stale() -> list[str]:
    """Return the names of the files that are not what the proto says, and of those nobody wrote."""
    fresh = generated()
    there = {path.name for path in TARGET.glob("*.py*")}
    differing = [
        name
        for name, text in fresh.items()
        if name not in there or (TARGET / name).read_text("utf-8") != text
    ]
    return sorted({*differing, *(there - set(fresh))})


def main() -> int:
    """Write or check the files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    if parser.parse_args().check:
        differing = stale()
        for name in differing:
            sys.stderr.write(f"{TARGET / name} is not what the proto says: run `make proto`\n")
        return 1 if differing else 0
    TARGET.mkdir(parents=True, exist_ok=True)
    fresh = generated()
    for name in stale():
        if name in fresh:
            (TARGET / name).write_text(fresh[name], "utf-8")
        else:
            (TARGET / name).unlink()
        sys.stderr.write(f"wrote {TARGET / name}\n")
    return 0


def _run_protoc(out: Path) -> None:
    code = protoc.main(
        [
            "protoc",
            f"-I{SOURCE}",
            f"--python_out={out}",
            f"--pyi_out={out}",
            f"--descriptor_set_out={out / 'described'}",
            PROTO,
        ]
    )
    if code != 0:
        raise SystemExit(f"protoc refused {PROTO}")


def _described(out: Path) -> FileDescriptorProto:
    return FileDescriptorSet.FromString((out / "described").read_bytes()).file[0]


def _replaced(text: str, old: str, new: str) -> str:
    if old not in text:
        raise SystemExit(f"protoc no longer writes {old!r}: mend scripts/generate_proto.py")
    return text.replace(old, new)


if __name__ == "__main__":
    sys.exit(main())
