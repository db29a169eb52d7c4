"""The trained network as the file that the service reads: ONNX, with 8-bit weights."""

from __future__ import annotations

import hashlib
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic

from training.network import RelationNetwork, load_tokenizer

_INPUTS = ("ids", "mask", "segments")
_OPSET = 17


def export(network: RelationNetwork, path: Path) -> str:
    """Write the quantised model to `path`; its SHA-256."""
    with tempfile.TemporaryDirectory() as folder:
        full = Path(folder) / "full.onnx"
        example = tuple(torch.ones((2, 8), dtype=torch.int64) for _ in _INPUTS)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the exporter warns of its own successor, whose graph quantises worse
            torch.onnx.export(
                network,
                example,
                str(full),
                input_names=list(_INPUTS),
                output_names=["logits"],
                dynamic_axes={name: {0: "pairs", 1: "tokens"} for name in _INPUTS},
                opset_version=_OPSET,
                dynamo=False,
            )
        quantize_dynamic(full, path, weight_type=QuantType.QInt8, per_channel=True, reduce_range=True)
    model = onnx.load(path)
    # Names of nodes hold no paths; what made the file is told by the model card.
    model.doc_string, model.producer_name, model.producer_version = "", "helixir", "1"
    onnx.save(model, path)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def logits_of_file(path: Path, pairs: Sequence[tuple[str, str]]) -> np.ndarray:
    """What the file answers for (stored, new) pairs, one by one as the service asks it."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    found = []
    for encoding in load_tokenizer().encode_batch(list(pairs)):
        ids = np.array([encoding.ids], dtype=np.int64)
        feed = {"ids": ids, "mask": np.ones_like(ids), "segments": np.array([encoding.type_ids], dtype=np.int64)}
        found.append(np.asarray(session.run(["logits"], feed)[0])[0])
    return np.stack(found)
