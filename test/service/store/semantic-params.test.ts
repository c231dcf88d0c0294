import { describe, expect, it } from 'vitest';
import { failure } from '../../failure.js';
import { newStore, tasks } from './fixtures.js';
import {
  embedAll,
  notes,
  notesCollection,
  remarks,
  sampleNotes,
  searchSemantically,
  semanticOptions,
  textsOf,
} from './semantic-sample.js';

const inMemory = (more: object = {}) => newStore({ folder: ':memory:', ...semanticOptions(), ...more });

describe('parameters of a semantic search', () => {
  it('are rejected with the path of every error', async () => {
    const store = await inMemory();
    const params = {
      semantic: {
        field: 'bodi',
        prompt: ' ',
        filter: { eq: { tittle: 'x' }, nor: [] },
        context_size: 4000,
        dedup: 'some',
        mode: 'vector',
        sort: [{ title: 'asc' }],
        size: 1,
      },
      fields: ['id', 'colour'],
      cursor: 'x',
      limit: 101,
    };
    const error = await failure(store.semanticSearch({ ...notesCollection, params }));
    expect(error.code).toBe('invalid_params');
    expect(Object.fromEntries(error.issues!.map(({ path, message }) => [path, message]))).toEqual({
      cursor: 'applies only to query: semantic search returns one page',
      'semantic.sort': 'applies only to query: semantic hits are ordered by relevance',
      'semantic.size': expect.stringContaining('is unknown'),
      'semantic.field': 'must be one of "body", "turns"',
      'semantic.prompt': 'must be a non-empty string',
      'semantic.filter.eq.tittle': expect.stringContaining("Did you mean 'title'?"),
      'semantic.filter.nor': expect.stringContaining("Did you mean 'not'?"),
      'semantic.context_size': 'must be a whole number from 1 to 2048',
      'semantic.dedup': 'must be one of "max", "none"',
      'semantic.mode': 'must be one of "dense", "lexical", "hybrid"',
      'fields.1': expect.stringContaining('is not a searchable field'),
      limit: 'must be a whole number from 1 to 100',
    });
  });

  it.each([
    [{ semantic: { prompt: 'x' } }, 'semantic.field', /is required \(one of "body", "turns"\)/],
    [{ semantic: { field: 'body' } }, 'semantic.prompt', /is required/],
    [{ semantic: { field: 'body', prompt: 7 } }, 'semantic.prompt', /must be a (non-empty )?string/],
    [{ semantic: { field: 'body', prompt: 'a '.repeat(5001) } }, 'semantic.prompt', /more than 10000 characters/],
    [{ semantic: { field: 'body', prompt: 'x', filter: { not: {} } } }, 'semantic.filter.not', /is empty/],
    [{ semantic: { field: 'body', prompt: 'x', filter: [] } }, 'semantic.filter', /must be an object/],
    [{ semantic: { field: 'body', prompt: 'x' }, query: {} }, '', /mutually exclusive/],
    [{ semantic: { field: 'body', prompt: 'x' }, fields: [] }, 'fields', /must not be empty/],
    [{ semantic: { field: 'body', prompt: 'x' }, limit: 2.5 }, 'limit', /from 1 to 100/],
    [{ semantic: [] }, 'semantic', /must be an object/],
    [{}, 'query', /is required: .*; for semantic search pass semantic instead/],
    [null, '', /must be an object/],
  ])('are rejected: %j', async (params, path, message) => {
    const store = await inMemory();
    await expect(store.semanticSearch({ ...notesCollection, params })).rejects.toMatchObject({
      code: 'invalid_params',
      issues: [{ path, message: expect.stringMatching(message) }],
    });
  });

  it('need no field if there is only one, and are rejected if there is none', async () => {
    const store = await inMemory({ entities: [notes, remarks, tasks] });
    const of = { ...notesCollection, entity: 'remarks' };
    await store.write(of, [{ id: 'a', body: 'A remark.' }], textsOf);
    const params = { semantic: { prompt: 'remark' } };
    expect((await store.semanticSearch({ ...of, params })).hits).toMatchObject([{ record: { id: 'a' } }]);
    await expect(store.semanticSearch({ ...notesCollection, entity: 'tasks', params })).rejects.toMatchObject({
      issues: [{ path: 'semantic', message: 'is not supported: search this entity with query' }],
    });
    await expect(store.semanticSearch({ ...notesCollection, entity: 'note', params })).rejects.toMatchObject({
      code: 'unknown_entity',
    });
  });

  it('can have any prompt', async () => {
    const store = await inMemory();
    await store.write(notesCollection, sampleNotes, textsOf);
    await embedAll(store);
    const prompts = [
      `" OR 1 --`,
      `* NOT NEAR(a b)`,
      `{terms}:x`,
      '\u0000',
      '\ud800',
      '...',
      `${'word '.repeat(2000)}`,
      '🦄',
      "'",
    ];
    for (const prompt of prompts) {
      for (const mode of ['lexical', 'dense', 'hybrid']) {
        expect((await searchSemantically(store, { prompt, mode })).length).toBeLessThanOrEqual(3);
      }
    }
  });
});
