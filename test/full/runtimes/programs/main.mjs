// Runs the calls in a process: reads their input from a file and prints the results as JSON.
import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { calls } from './calls.mjs';

const subject = JSON.parse(await readFile(process.argv[2], 'utf8'));
console.log(JSON.stringify(await calls(subject)));
