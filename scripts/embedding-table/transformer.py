"""all-MiniLM-L6-v2 in NumPy, in double precision: results differ between machines by less than the table resolves."""

import numpy as np
from safetensors.numpy import load_file
from scipy.special import erf

HEADS = 12
LAYERS = 6
EPSILON = 1e-12


class Transformer:
    def __init__(self, path):
        self.weights = {name: tensor.astype(np.float64) for name, tensor in load_file(path).items() if tensor.dtype.kind == "f"}

    def run(self, ids):
        """Token outputs of equally long sequences: (texts, tokens) of ids to (texts, tokens, 384)."""
        embedding = lambda kind: self.weights[f"embeddings.{kind}_embeddings.weight"]
        x = embedding("word")[ids] + embedding("position")[: ids.shape[1]] + embedding("token_type")[0]
        x = self.normalize(x, "embeddings.LayerNorm")
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            attended = self.linear(self.attend(x, f"{name}.attention.self"), f"{name}.attention.output.dense")
            x = self.normalize(x + attended, f"{name}.attention.output.LayerNorm")
            inner = self.linear(x, f"{name}.intermediate.dense")
            inner = inner * (1 + erf(inner / np.sqrt(2))) / 2
            x = self.normalize(x + self.linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")
        return x

    def attend(self, x, name):
        texts, tokens, size = x.shape
        heads = lambda part: self.linear(x, f"{name}.{part}").reshape(texts, tokens, HEADS, -1).transpose(0, 2, 1, 3)
        query, key, value = heads("query"), heads("key"), heads("value")
        scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(size // HEADS)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        return (weights @ value).transpose(0, 2, 1, 3).reshape(texts, tokens, size)

    def linear(self, x, name):
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def normalize(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON)
        return x * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]
