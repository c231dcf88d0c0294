// Makes the calls available to a page in a browser.
import { calls } from './calls.mjs';

globalThis.calls = calls;
