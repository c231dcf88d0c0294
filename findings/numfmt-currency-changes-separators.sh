#!/usr/bin/env bash
# Guess: numfmt writes `[$€-407] #,##0`, a euro format of Excel, with the separators of the locale that it is told.
# Happens (numfmt 4.0.1): the language tag behind the currency sign wins over the option: with `locale: 'en-US'`, 1234 is
#   "€ 1.234", and with `0.000`, 1.234 is "€ 1,234". Excel takes separators from the system, SSF 0.11.2 (of SheetJS)
#   from English. `[$€-2]`, Excel's other euro sign, changes nothing.
# Why it matters: two cells of one sheet, or two readers of one cell, give "€ 1.234" and "€ 1,234" for the same number,
#   and a model or an import reads one of them as a thousandth.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund numfmt@4.0.1 ssf@0.11.2 2>/dev/null
cat > probe.mjs <<'JS'
import { format } from 'numfmt';
import ssf from 'ssf';

const cases = [
  ['[$€-407] #,##0', 1234, '€ 1.234', '€ 1,234'],
  ['[$€-407] 0.000', 1.234, '€ 1,234', '€ 1.234'],
  ['[$R$-416] #,##0', 1234, 'R$ 1.234', 'R$ 1,234'],
  ['[$€-2] #,##0', 1234, '€ 1,234', '€ 1,234'],
];
let same = true;
for (const [code, value, inNumfmt, inSsf] of cases) {
  const seen = [format(code, value, { locale: 'en-US' }), ssf.format(code, value)];
  console.log(`${value} as ${code}: numfmt ${seen[0]} | ssf ${seen[1]}`);
  same &&= seen[0] === inNumfmt && seen[1] === inSsf;
}
if (!same) process.exit(1);
JS
echo "numfmt 4.0.1 with locale en-US, ssf 0.11.2, Node $(node -v)"
node probe.mjs
