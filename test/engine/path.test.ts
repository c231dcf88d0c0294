import { path } from 'agent-connectors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch, json } from './fake-fetch.js';
import { shelf } from './shelf.js';

describe('path', () => {
  it('encodes inserted values and leaves the rest unchanged', () => {
    expect(path`/files/${'a/b?c#d'}/comments/${7}`).toBe('/files/a%2Fb%3Fc%23d/comments/7');
  });

  it('keeps any value within its segment', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (value) => {
        fc.pre(value !== '.' && value !== '..');
        const url = new URL(`https://vendor.example/v1${path`/files/${value}/end`}`);
        expect(url.search + url.hash).toBe('');
        const segments = url.pathname.split('/');
        expect(segments).toHaveLength(5);
        expect(decodeURIComponent(segments[3]!)).toBe(value);
      }),
    );
  });

  it.each(['', '.', '..'])('rejects %j, which would point to another resource', async (value) => {
    expect(await failure(() => path`/files/${value}`)).toMatchObject({ code: 'invalid_params' });
  });

  it('rejects a lone surrogate as a parameter fault, not as an unreadable response', async () => {
    const { fetch, sent } = fakeFetch(() => json({}));
    const error = await failure(shelf(fetch).execute('books', 'get', { id: 'a\ud800b' }));
    expect(error.code).toBe('invalid_params');
    expect(sent).toHaveLength(0);
  });

  it('rejects an id with path traversal', async () => {
    const { fetch, sent } = fakeFetch(() => json({}));
    expect(await failure(shelf(fetch).execute('books', 'get', { id: '..' }))).toMatchObject({ code: 'invalid_params' });
    expect(sent).toHaveLength(0);
  });
});
