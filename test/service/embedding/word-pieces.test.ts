import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readTable } from '../../../service/src/data/search/embedding/static/table.js';
import { WordPieces, wordsOf } from '../../../service/src/data/search/embedding/static/word-pieces.js';

/** Texts and their token ids, as `scripts/embedding-table/record_pieces.py` recorded them from the reference tokenizer. */
const recorded: [text: string, ids: number[]][] = JSON.parse(
  readFileSync(new URL('word-pieces.json', import.meta.url), 'utf8'),
);

test('texts are split into the same pieces that the reference tokenizer produces', async () => {
  const { pieces } = await readTable();
  for (const [text, ids] of recorded) expect([text, pieces.idsOf(text, -1)]).toEqual([text, ids]);
});

test('words that cannot be split into pieces are omitted', () => {
  const pieces = new WordPieces(['un', '##known', '##s', 'known']);
  expect(pieces.idsOf('Unknowns known unkempt KNOWN knowing')).toEqual([0, 1, 2, 3, 3]);
});

test('text with lone surrogates and control characters is still split into words', () => {
  expect(wordsOf('a\ud800b \udc00 c\u0000d')).toEqual(['ab', 'cd']);
});
