#!/usr/bin/env bash
# Guess: chrono-node reads an English phrase that it does not know as a whole as no date.
# Happens (chrono-node 2.10.3): it reads the part that it knows. "day after tomorrow" without "the" is tomorrow, and with
#   `chrono.strict`, "the day after tomorrow" is too. "the Monday after next" is next Monday, "last week of May" is the
#   week before today, and "two weeks from Monday" is two dates, of which `parseDate` returns the one without Monday.
# Why it matters: an agent tool or a task import that calls `parseDate` sets another due date. The parsed text in
#   `result.text` shows it; the date alone does not.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund chrono-node@2.10.3
cat > probe.mjs <<'JS'
import * as chrono from 'chrono-node';

const wednesday = { instant: new Date('2024-05-15T10:00:00Z'), timezone: 'UTC' };
const cases = [
  [chrono.casual, 'the day after tomorrow', '2024-05-17'],
  [chrono.casual, 'day after tomorrow', '2024-05-16'],
  [chrono.strict, 'the day after tomorrow', '2024-05-16'],
  [chrono.casual, 'the Monday after next', '2024-05-20'],
  [chrono.casual, 'last week of May', '2024-05-08'],
  [chrono.casual, 'two weeks from Monday', '2024-05-29'],
];
let same = true;
for (const [parser, text, expected] of cases) {
  const [result] = parser.parse(text, wednesday, { forwardDate: true });
  const date = parser.parseDate(text, wednesday, { forwardDate: true }).toISOString().slice(0, 10);
  console.log(`${text} (${parser === chrono.strict ? 'strict' : 'casual'}): ${date}, from "${result.text}"`);
  same &&= date === expected;
}
if (!same) process.exit(1);
JS
echo "chrono-node 2.10.3, Node $(node -v), on Wednesday, 2024-05-15"
TZ=UTC node probe.mjs
