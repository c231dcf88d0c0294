#!/usr/bin/env bash
# Guess: a FlexSearch index with its default options tells INV-1000 from INV-1100, as both are whole words.
# Happens (flexsearch 0.8.212): the default encoder splits digits into groups of three and then drops repeated
#   characters, so both become "inv", "10", "0". They match each other, in the order in which they were added.
# Why it matters: search over invoices, tickets or orders returns another record for an exact identifier, as the first
#   result and with nothing that tells them apart. `new Index({ encoder: 'Exact' })` keeps them apart.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund flexsearch@0.8.212
cat > probe.mjs <<'JS'
import { Charset, Encoder, Index } from 'flexsearch';

const ids = ['INV-1000', 'INV-1100', 'INV-20024', 'INV-22024'];
function search(options, query) {
  const index = new Index(options);
  for (const [at, id] of ids.entries()) index.add(at, id);
  return index.search(query).map((at) => ids[at]);
}
const seen = [search({}, 'INV-1100'), search({}, 'INV-22024')].map((result) => result.join(' '));
const exact = search({ encoder: Charset.Exact }, 'INV-1100').join(' ');
console.log('flexsearch 0.8.212, Node', process.versions.node);
console.log('tokens', JSON.stringify(ids.map((id) => new Encoder().encode(id))));
console.log('INV-1100 finds', seen[0], '| INV-22024 finds', seen[1], '| exact', exact);
if (seen.join(', ') !== 'INV-1000 INV-1100, INV-20024 INV-22024' || exact !== 'INV-1100') process.exit(1);
JS
node probe.mjs
