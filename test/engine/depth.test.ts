import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch } from './fake-fetch.js';
import { shelf } from './shelf.js';

/** A response with this many levels, the innermost of which contains this value. */
const nested = (levels: number, last = '1') => {
  const [open, close] = levels % 2 === 0 ? ['[', ']'] : ['{"a":', '}'];
  // The response itself and its field are levels, too.
  return `{"id":"b1","value":${open}${'['.repeat(levels - 2)}${last}${']'.repeat(levels - 2)}${close}}`;
};
const ask = (text: string) =>
  shelf(fakeFetch(() => new Response(text)).fetch, { retries: 0 }).execute('books', 'get', { id: 'b1' }, { raw: true });

const padding = { 'a short response': '', 'a response of two million characters': ' '.repeat(2_000_000) };

describe.each(Object.entries(padding))('%s', (_, spaces) => {
  it.each([499, 500])('is parsed with %i levels', async (levels) => {
    expect((await ask(spaces + nested(levels))).data).toMatchObject({ id: 'b1' });
  });

  it.each([501, 502, 5000])('is rejected with %i levels', async (levels) => {
    const error = await failure(ask(spaces + nested(levels)));
    expect(error.code).toBe('invalid_response');
  });

  it('is rejected with too many levels around a number that a double cannot represent', async () => {
    expect((await failure(ask(spaces + nested(501, '12345678901234567890')))).code).toBe('invalid_response');
    expect((await failure(ask(`${spaces}[12345678901234567890,${nested(501)}]`))).code).toBe('invalid_response');
  });

  it('can contain any number of brackets in its strings', async () => {
    const text = '[{"\\'.repeat(1000);
    const { data } = await ask(`${spaces}{"id":"b1","value":${JSON.stringify([text])}}`);
    expect((data as any).value).toEqual([text]);
  });
});

it('a response containing only brackets is rejected before parsing', async () => {
  const error = await failure(ask('['.repeat(20_000_000)));
  expect(error.code).toBe('invalid_response');
});
