#!/usr/bin/env bash
# Guess: @photostructure/sqlite, which has the interface of node:sqlite, keeps the state of a custom aggregate between
# rows as node:sqlite does, whatever object it is.
# What happens: it copies the state as JSON after each row. A Map, Set, Date or class instance comes back as a plain
# object, without an error: a Set of seen values counts 0, where node:sqlite counts 3. Plain objects of numbers survive.
# Versions: @photostructure/sqlite 1.2.1, beside node:sqlite of Node 24.
# Why it matters: an aggregate written for node:sqlite (distinct counts, exact sums, percentiles) returns other numbers
# where the package stands in for it on older versions of Node.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @photostructure/sqlite@1.2.1 >/dev/null
cat >program.cjs <<'PROGRAM'
const { DatabaseSync } = process.argv[2] === 'built-in' ? require('node:sqlite') : require('@photostructure/sqlite');
const database = new DatabaseSync(':memory:');
database.exec("CREATE TABLE visits (person TEXT); INSERT INTO visits VALUES ('ann'), ('bob'), ('ann'), ('cy')");
database.aggregate('people', {
  start: () => new Set(),
  step: (seen, person) => (typeof seen.add === 'function' ? seen.add(person) : seen),
  result: (seen) => seen.size ?? 0,
});
console.log(database.prepare('SELECT people(person) AS count FROM visits').get().count);
PROGRAM
package=$(node program.cjs package)
echo "@photostructure/sqlite 1.2.1 on Node $(node --version): $package people"
if node -e "require('node:sqlite').DatabaseSync.prototype.aggregate.call" 2>/dev/null; then
  built_in=$(node --no-warnings program.cjs built-in)
  echo "node:sqlite on Node $(node --version): $built_in people"
  [ "$built_in" = 3 ]
fi
[ "$package" = 0 ]
