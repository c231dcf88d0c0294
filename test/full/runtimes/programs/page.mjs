// Gives a page of a browser the calls to run.
import { calls } from './calls.mjs';

globalThis.calls = calls;
