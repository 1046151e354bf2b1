"""Any program's way to the service: its calls, straight from the proto's description."""

from __future__ import annotations

from typing import Any

import grpc
from google.protobuf.message_factory import GetMessageClass

from agentx.memory.wire.messages import SERVICE, path_of


class MemoryServiceStub:
    """The service on a channel; every call is an attribute by its name."""

    def __init__(self, channel: grpc.Channel) -> None:
        for method in SERVICE.methods:
            asks = "stream" if method.client_streaming else "unary"
            answers = "stream" if method.server_streaming else "unary"
            connect = getattr(channel, f"{asks}_{answers}")
            call = connect(
                path_of(method.name),
                request_serializer=GetMessageClass(method.input_type).SerializeToString,
                response_deserializer=GetMessageClass(method.output_type).FromString,
            )
            setattr(self, method.name, call)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the proto has no call {name}")
