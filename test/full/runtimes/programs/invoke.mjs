// Invokes a function like Lambda's runtime: loads it, then passes one event after the other, as JSON.
// Arguments: <bundle> <file with the events>.
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const [bundle, file] = process.argv.slice(2);
const started = performance.now();
const { handler } = await import(pathToFileURL(bundle).href);
const coldStartMs = performance.now() - started;
const results = [];
for (const event of JSON.parse(await readFile(file, 'utf8'))) results.push(await handler(event, {}));
console.log(JSON.stringify({ coldStartMs, results }));
