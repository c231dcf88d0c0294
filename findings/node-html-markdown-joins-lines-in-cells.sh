#!/usr/bin/env bash
# Guess: node-html-markdown keeps lines and list items of a table's cell apart, with a space or `<br>`, since Markdown has no
#   lines in cells, and keeps cells below a `rowspan` in their columns.
# Happens (node-html-markdown 2.0.0): it joins them without a space: "12 Main St<br>Springfield" becomes
#   "12 Main StSpringfield", and two list items become one word. Below a cell that spans two rows, each cell is in the column to
#   its left: a price is below "Plan".
# Why it matters: addresses, opening hours and features of price lists stand in such cells. Words at the ends of lines are
#   not found, and a model reads the price of another plan.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund node-html-markdown@2.0.0
cat > probe.mjs <<'JS'
import { NodeHtmlMarkdown } from 'node-html-markdown';

const tables = {
  lines: '<tr><th>Name</th><th>Address</th></tr><tr><td>Ann</td><td>12 Main St<br>Springfield</td></tr>',
  list: '<tr><th>Plan</th><th>Has</th></tr><tr><td>Pro</td><td><ul><li>Mail</li><li>Chat</li></ul></td></tr>',
  rows: '<tr><th>Plan</th><th>Users</th><th>Price</th></tr><tr><td rowspan="2">Pro</td><td>5</td><td>50</td></tr><tr><td>10</td><td>90</td></tr>',
};
const found = {};
for (const [name, rows] of Object.entries(tables)) {
  const lines = NodeHtmlMarkdown.translate(`<table>${rows}</table>`).trim().split('\n');
  found[name] = lines.at(-1).split('|').slice(1, -1).map((cell) => cell.trim());
}
console.log('node-html-markdown 2.0.0, last rows:', found);
const expected = { lines: ['Ann', '12 Main StSpringfield'], list: ['Pro', 'MailChat'], rows: ['10', '90', ''] };
process.exit(JSON.stringify(found) === JSON.stringify(expected) ? 0 : 1);
JS
echo "Node $(node -v)"
node probe.mjs
