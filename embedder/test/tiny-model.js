/** Writes a model with random weights and the inputs and output of a sentence model: one row per word piece. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [float, int64] = [1, 7];

/** Protobuf: a varint, a field with bytes, and one with a number. */
const varint = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)]);
const bytes = (field, value) => {
  const content = Buffer.from(value);
  return Buffer.concat([Buffer.from([...varint((field << 3) | 2), ...varint(content.length)]), content]);
};
const number = (field, value) => Buffer.from([...varint(field << 3), ...varint(value)]);
const message = (...fields) => Buffer.concat(fields);

/** ONNX: a value with its type and dimensions, and a node (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto). */
const valueInfo = (name, type, dimensions) => {
  const shape = dimensions.map((size) => bytes(1, typeof size === 'number' ? number(1, size) : bytes(2, size)));
  return message(bytes(1, name), bytes(2, bytes(1, message(number(1, type), bytes(2, message(...shape))))));
};
const node = (operator, inputs, output) =>
  message(...inputs.map((input) => bytes(1, input)), bytes(2, output), bytes(4, operator));

/** Deterministic numbers from -1 to 1. */
function* randomNumbers() {
  for (let state = 1; ; state = (Math.imul(state, 48_271) >>> 0) % 2_147_483_647) yield state / 1_073_741_824 - 1;
}

/** Creates a model folder; the `last_hidden_state` of a token is the row for its id. */
export function writeTinyModel(folder, pieces, size, files = {}) {
  const random = randomNumbers();
  const rows = Float32Array.from({ length: pieces.length * size }, () => random.next().value);
  const table = message(
    number(1, pieces.length),
    number(1, size),
    number(2, float),
    bytes(8, 'rows'),
    bytes(9, Buffer.from(rows.buffer)),
  );
  const inputs = ['input_ids', 'attention_mask', 'token_type_ids'];
  const graph = message(
    bytes(1, node('Gather', ['rows', 'input_ids'], 'last_hidden_state')),
    bytes(2, 'tiny'),
    bytes(5, table),
    ...inputs.map((name) => bytes(11, valueInfo(name, int64, ['batch', 'tokens']))),
    bytes(12, valueInfo('last_hidden_state', float, ['batch', 'tokens', size])),
  );
  const model = message(number(1, 8), bytes(7, graph), bytes(8, message(bytes(1, ''), number(2, 17))));
  mkdirSync(join(folder, '1_Pooling'), { recursive: true });
  writeFileSync(join(folder, 'model.onnx'), model);
  writeFileSync(join(folder, 'vocab.txt'), `${pieces.join('\n')}\n`);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(content));
  return (id) => Array.from(rows.subarray(id * size, (id + 1) * size));
}
