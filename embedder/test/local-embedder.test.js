import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { localEmbedder } from '../../service/dist/index.js';
import { writeTinyModel } from './tiny-model.js';

const pieces = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'search', 're', '##fund', 'money', ':'];
const [unknown, cls, sep, search, re, fund, money, colon] = [1, 2, 3, 4, 5, 6, 7, 8];

function tinyEmbedder(t, files) {
  const folder = mkdtempSync(join(tmpdir(), 'model-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const rowOf = writeTinyModel(folder, pieces, 6, files);
  const unit = (vector) => vector.map((value) => value / Math.hypot(...vector));
  const meanOf = (...ids) => unit(ids.map(rowOf).reduce((sum, row) => sum.map((value, index) => value + row[index])));
  return { embedder: localEmbedder(folder), meanOf, folder };
}

const near = (vector, wanted) => {
  assert.equal(vector.length, wanted.length);
  for (const [index, value] of wanted.entries()) assert.ok(Math.abs(vector[index] - value) < 1e-5, `${index}`);
};

test('the vector of a text is the mean of its token vectors, normalized to length 1', async (t) => {
  const { embedder, meanOf } = tinyEmbedder(t);
  const [first, second, empty] = await embedder.embed(['Refund: MONEY', 'zzz', ''], 'passage');
  near(first, meanOf(cls, re, fund, colon, money, sep));
  near(second, meanOf(cls, unknown, sep));
  near(empty, meanOf(cls, sep));
});

test("pooling, length and prefixes are taken from the model's files", async (t) => {
  const { embedder, meanOf } = tinyEmbedder(t, {
    'sentence_bert_config.json': { max_seq_length: 5 },
    'config_sentence_transformers.json': { prompts: { query: 'search: ' } },
  });
  near((await embedder.embed(['refund'], 'query'))[0], meanOf(cls, search, colon, re, sep));
  near((await embedder.embed(['refund money money money'], 'passage'))[0], meanOf(cls, re, fund, money, sep));
  const byCls = tinyEmbedder(t, { '1_Pooling/config.json': { pooling_mode_cls_token: true } });
  near((await byCls.embedder.embed(['refund'], 'query'))[0], byCls.meanOf(cls));
  assert.notEqual(byCls.embedder.id.split('-').at(-1), embedder.id.split('-').at(-1));
});

test('a question does not wait for a batch of passages', async (t) => {
  const { embedder } = tinyEmbedder(t);
  const ended = [];
  await Promise.all([
    embedder
      .embed(
        Array.from({ length: 500 }, () => 'money '.repeat(200)),
        'passage',
      )
      .then(() => ended.push('passages')),
    embedder.embed(['money'], 'query').then(() => ended.push('question')),
  ]);
  assert.deepEqual(ended, ['question', 'passages']);
});

test('an abort ends the wait', async (t) => {
  const { embedder } = tinyEmbedder(t);
  const stop = new AbortController();
  const waiting = embedder.embed(
    Array.from({ length: 50 }, () => 'money'),
    'passage',
    stop.signal,
  );
  stop.abort();
  await assert.rejects(waiting, { code: 'aborted' });
  assert.equal((await embedder.embed(['money'], 'query')).length, 1);
});

test('a folder that is not a sentence model is rejected with an error that names what is missing', (t) => {
  const { folder } = tinyEmbedder(t);
  assert.throws(() => localEmbedder(join(folder, '1_Pooling')), /has no model\.onnx/);
  const max = { '1_Pooling/config.json': { pooling_mode_max_tokens: true } };
  assert.throws(() => tinyEmbedder(t, max), /pooling/);
  assert.throws(() => tinyEmbedder(t, { 'tokenizer.json': { model: { type: 'BPE', vocab: {} } } }), /WordPiece/);
});
