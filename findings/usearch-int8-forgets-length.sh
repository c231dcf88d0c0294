#!/usr/bin/env bash
# Guess: an index of usearch with `dtype="i8"` rounds or scales its vectors, so that distances are coarser but in the same
#   order, or it refuses vectors outside of -1 to 1.
# Happens (usearch 2.26.6): every vector is first brought to the same length, whatever the metric. With `l2sq`, [1, 0] and
#   [100, 0] have distance 0; of ten nearest neighbours of vectors of various lengths about a third are others than in f32
#   (f16 and bf16 keep the order).
# Why it matters: quantized to save memory, a search by Euclidean distance or inner product over vectors that are not unit
#   vectors returns wrong neighbours without an error.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check usearch==2.26.6 numpy==2.4.1
cat > probe.py <<'PY'
import sys
from importlib.metadata import version

import numpy as np
from usearch.index import Index


def nearest(dtype, vectors, count):
    index = Index(ndim=vectors.shape[1], metric="l2sq", dtype=dtype)
    index.add(np.arange(len(vectors)), vectors)
    return [index.search(vector, count) for vector in vectors]


pair = np.array([[1, 0], [100, 0]], np.float32)
apart = {dtype: float(max(nearest(dtype, pair, 2)[0].distances)) for dtype in ("f32", "f16", "i8")}
vectors = (np.random.default_rng(1).normal(size=(200, 16)) * 5).astype(np.float32)
exact = [set(match.keys) for match in nearest("f32", vectors, 10)]
share = {
    dtype: float(np.mean([len(keys & set(match.keys)) / 10 for keys, match in zip(exact, nearest(dtype, vectors, 10))]))
    for dtype in ("f16", "i8")
}
print("usearch", version("usearch"), "distance of [1, 0] and [100, 0]:", apart, "of the ten nearest:", share)
sys.exit(not (apart["f32"] == 9801 and apart["i8"] == 0 and share["f16"] > 0.98 and share["i8"] < 0.8))
PY
venv/bin/python probe.py
