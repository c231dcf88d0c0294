// Runs the calls in a process: what they need comes from a file, what came back goes to standard output as JSON.
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { calls } from './calls.mjs';

const subject = JSON.parse(await readFile(process.argv[2], 'utf8'));
console.log(JSON.stringify(await calls(subject)));
