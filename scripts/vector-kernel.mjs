/**
 * Compiles the vector search kernel from WebAssembly text to the bytes that the service loads. `--check` compares them
 * with the committed ones; otherwise they are written.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import loadWabt from 'wabt';

const folder = 'service/src/data/records/drivers/vectors';
const source = `${folder}/products.wat`;
const compiled = `${folder}/products-wasm.ts`;

const { parseWat } = await loadWabt();
const { buffer } = parseWat(source, readFileSync(source, 'utf8'), { simd: true }).toBinary({});
const text = `/** \`products.wat\`, compiled by \`node scripts/vector-kernel.mjs\`, as base64. */
export const productsWasm =
  '${Buffer.from(buffer).toString('base64')}';
`;

if (!process.argv.includes('--check')) writeFileSync(compiled, text);
else if (readFileSync(compiled, 'utf8') !== text) {
  console.error(`${compiled} does not match ${source}. Run: node scripts/vector-kernel.mjs`);
  process.exitCode = 1;
}
