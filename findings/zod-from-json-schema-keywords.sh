#!/usr/bin/env bash
# Guess: `z.fromJSONSchema` throws on a keyword that it cannot translate, as it does for `not` and `if`.
# Happens (zod 4.6.7): it throws for some and drops others without a word: `required` of a name that `properties` does
#   not list, and with it `anyOf` of `required` lists (the usual "id or name"); `minItems` and `maxItems` of an array
#   without `items`; `minLength` next to `enum`; the properties of an object without `type`.
# Why it matters: MCP clients and agent tools turn schemas of others into Zod to check arguments. Invalid calls pass.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund zod@4.6.7
cat > probe.mjs <<'JS'
import { z } from 'zod';

const cases = [
  [{ type: 'object', properties: { note: { type: 'string' } }, required: ['id'] }, {}],
  [
    {
      type: 'object',
      properties: { id: { type: 'string' }, name: { type: 'string' } },
      anyOf: [{ required: ['id'] }, { required: ['name'] }],
    },
    {},
  ],
  [{ type: 'array', minItems: 1 }, []],
  [{ type: 'array', maxItems: 1 }, [1, 2]],
  [{ enum: ['a', 'long enough'], minLength: 5 }, 'a'],
  [{ properties: { id: { type: 'string' } }, required: ['id'] }, { id: 5 }],
];
let same = true;
for (const [schema, invalid] of cases) {
  const accepted = z.fromJSONSchema(schema).safeParse(invalid).success;
  console.log(accepted ? 'accepts' : 'rejects', JSON.stringify(invalid), 'for', JSON.stringify(schema));
  same &&= accepted;
}
let thrown = false;
try {
  z.fromJSONSchema({ not: { type: 'string' } });
} catch (error) {
  thrown = true;
  console.log('throws for not:', error.message);
}
if (!same || !thrown) process.exit(1);
JS
node -p '"zod " + require("zod/package.json").version + ", Node " + process.versions.node'
node probe.mjs
