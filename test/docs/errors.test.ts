import { ConnectorError } from 'agent-connectors';
import { expect, test } from 'vitest';
import { errorCodes } from '../../src/errors/connector-error.js';
import { textOf } from './pages.js';

const rows = [...textOf('docs/guides/errors.md').matchAll(/^\| `(\w+)` \| (.+) \| (.+) \| (.+) \|$/gm)]
  .map(([, code, cause, remedy, retry]) => ({ code: code!, cause: cause!, remedy: remedy!, retry: retry! }))
  .filter(({ code }) => code.includes('_') || (errorCodes as readonly string[]).includes(code));

test('every code, and no other, has a cause and a remedy in the guide', () => {
  expect(rows.map(({ code }) => code)).toEqual([...errorCodes]);
  expect(rows.filter(({ cause, remedy }) => cause.length < 4 || remedy.length < 4)).toEqual([]);
});

test.each(rows)('the guide agrees with the error on whether to retry $code', ({ code, retry }) => {
  const { retryable } = new ConnectorError(code as (typeof errorCodes)[number], 'For the test.');
  expect(retry === 'yes').toBe(retryable);
});
