#!/usr/bin/env bash
# Guess: `where: { status: 'in progress' }` of Orama returns the documents whose status is "in progress".
# Happens (@orama/orama 3.1.18): filters on `string` and `string[]` fields are split into words, and one equal word is
#   enough: "in review" matches as well, and a filter on the customer "Acme US" returns those of "Acme EU". Fields of the
#   type `enum` are compared whole.
# Why it matters: a filter on customer, owner or status lets records of others through, and the agent counts them. The
#   same filter with a value of a single word looks correct, so tests with such values pass.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund @orama/orama@3.1.18
cat > probe.mjs <<'JS'
import { create, insert, search } from '@orama/orama';

const customers = ['Acme US', 'Acme EU', 'Globex'];
const counts = {};
for (const type of ['string', 'enum', 'string[]']) {
  const list = type === 'string[]';
  const index = create({ schema: { customer: type } });
  for (const customer of customers) await insert(index, { customer: list ? [customer] : customer });
  const filter = { string: 'Acme US', enum: { eq: 'Acme US' }, 'string[]': ['Acme US'] }[type];
  counts[type] = (await search(index, { term: '', where: { customer: filter } })).count;
}
console.log('@orama/orama 3.1.18, documents of "Acme US" by type of the field:', counts);
if (JSON.stringify(counts) !== '{"string":2,"enum":1,"string[]":2}') process.exit(1);
JS
node probe.mjs
