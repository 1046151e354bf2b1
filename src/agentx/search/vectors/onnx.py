"""A BERT through onnxruntime, for models that come in its format."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime

from agentx.kernel.errors import CorruptRecord
from agentx.search.vectors.bert import Floats, Ints


class OnnxBert:
    """The network of an ONNX file. Safe to use from several threads."""

    def __init__(self, path: Path, dimensions: int) -> None:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise CorruptRecord(f"{path}: onnxruntime cannot read it: {error}") from error
        self._inputs = {given.name for given in self._session.get_inputs()}
        if not {"input_ids", "attention_mask"} <= self._inputs:
            raise CorruptRecord(f"{path}: it takes {', '.join(self._inputs)}, not words and a mask")
        self._output = self._session.get_outputs()[0].name
        self.dimensions = dimensions

    def forward(self, ids: Ints, mask: Ints) -> Floats:
        """Return the states of every place: texts x places x dimensions."""
        given = {"input_ids": ids, "attention_mask": mask}
        if "token_type_ids" in self._inputs:
            given["token_type_ids"] = np.zeros_like(ids)
        states: Floats = self._session.run([self._output], given)[0]
        if states.ndim != 3 or states.shape[2] != self.dimensions:
            raise CorruptRecord(f"the model gives states of the shape {states.shape}")
        return states
