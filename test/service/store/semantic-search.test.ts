import { ConnectorError } from 'agent-connectors';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { caseCount, seedOf } from '../../cases.js';
import { cosine, vectorOf, WordEmbedder } from './embedder.js';
import { newStore } from './fixtures.js';
import {
  embedAll,
  notesCollection,
  sampleNotes,
  searchSemantically,
  semanticOptions,
  semanticSearchIds,
  textsOf,
} from './semantic-sample.js';

const inMemory = (more: object = {}) => newStore({ folder: ':memory:', ...semanticOptions(), ...more });

describe('embedders', () => {
  it('are not needed for lexical ranking, and vector ranking requires one', async () => {
    const embedder = new WordEmbedder();
    const store = await inMemory({ embedders: [embedder] });
    await store.write(notesCollection, sampleNotes, textsOf);
    embedder.fault = new Error('must not be asked');
    expect(await semanticSearchIds(store, { prompt: 'car', mode: 'lexical' })).toEqual(['garage']);
    for (const mode of ['dense', 'hybrid']) {
      await expect(searchSemantically(store, { prompt: 'car', mode })).rejects.toMatchObject({
        code: 'invalid_params',
        issues: [{ path: 'semantic.mode' }],
        hint: expect.stringContaining('lexical'),
      });
    }
    const without = await inMemory({ embedders: [] });
    await expect(searchSemantically(without, { prompt: 'car', mode: 'dense' })).rejects.toMatchObject({
      code: 'invalid_params',
    });
    expect(await semanticSearchIds(without, { prompt: 'car' })).toEqual([]);
  });

  it('can fail: ranking falls back to words, unless vectors were requested', async () => {
    const embedder = new WordEmbedder();
    const store = await inMemory({ embedders: [embedder] });
    await store.write(notesCollection, sampleNotes, textsOf);
    await embedAll(store);
    for (const [fault, code] of [
      [new TypeError('fetch failed'), 'network'],
      [new ConnectorError('timeout', 'No answer.'), 'network'],
      [new ConnectorError('unauthorized', 'Key refused.'), 'vendor_error'],
      [new Error('broken'), 'vendor_error'],
    ] as const) {
      embedder.fault = fault;
      const { hits, meta } = await store.semanticSearch({
        ...notesCollection,
        params: { semantic: { field: 'body', prompt: 'car' } },
      });
      expect([hits.length, meta.ranker]).toEqual([1, 'lexical']);
      await expect(searchSemantically(store, { prompt: 'car', mode: 'dense' })).rejects.toMatchObject({
        code,
        retryable: true,
      });
    }
  });

  it('are called once per prompt, no matter how many concurrent searches use it, and again after a failure', async () => {
    const embedder = new WordEmbedder();
    const given: string[] = [];
    const embed = (texts: readonly string[]) => {
      given.push(...texts);
      return embedder.embed(texts);
    };
    const store = await inMemory({ embedders: [{ id: embedder.id, embed }] });
    await store.write(notesCollection, sampleNotes, textsOf);
    await embedAll(store);
    const ask = (prompt: string) => semanticSearchIds(store, { prompt, mode: 'dense' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask('automobile')));
    expect(new Set(answers.map(([first]) => first))).toEqual(new Set(['garage']));
    await ask('automobile');
    await ask('bill');
    expect(given).toEqual(['automobile', 'bill']);
    embedder.fault = new TypeError('fetch failed');
    const refused = await Promise.allSettled([ask('crash'), ask('crash')]);
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await ask('automobile'))[0]).toBe('garage');
    embedder.fault = undefined;
    expect(await ask('crash')).not.toEqual([]);
    expect(given).toEqual(['automobile', 'bill', 'crash', 'crash']);
    // The cache has a limited size.
    for (let count = 0; count < 200; count++) await ask(`word ${count}`);
    await ask('automobile');
    expect(given.at(-1)).toBe('automobile');
  });

  it('receive concurrent prompts in batches, and a rejected prompt does not fail the others', async () => {
    const embedder = new WordEmbedder();
    let requests = 0;
    const embed = async (texts: readonly string[]) => {
      requests++;
      await new Promise((resolve) => setTimeout(resolve, 2));
      if (texts.includes('refused')) throw new ConnectorError('invalid_params', 'Too long.');
      return embedder.embed(texts);
    };
    const store = await inMemory({ embedders: [{ id: embedder.id, embed }] });
    await store.write(notesCollection, sampleNotes, textsOf);
    await embedAll(store);
    const prompts = Array.from({ length: 200 }, (_, index) => (index === 150 ? 'refused' : `automobile ${index}`));
    const found = await Promise.allSettled(
      prompts.map((prompt) => searchSemantically(store, { prompt, mode: 'dense' })),
    );
    const alone = await inMemory({ embedders: [embedder] });
    await alone.write(notesCollection, sampleNotes, textsOf);
    await embedAll(alone);
    for (const [index, one] of found.entries()) {
      if (prompts[index] === 'refused') {
        expect(one).toMatchObject({ status: 'rejected', reason: { code: 'vendor_error' } });
        continue;
      }
      expect(one.status === 'fulfilled' && one.value).toEqual(
        await searchSemantically(alone, { prompt: prompts[index]!, mode: 'dense' }),
      );
    }
    // At most seven batches of 32, one of which is retried prompt by prompt.
    expect(requests).toBeLessThan(60);
  });

  it('that have not processed all passages, or fail, are reported', async () => {
    const embedder = new WordEmbedder();
    const store = await inMemory({ embedders: [embedder] });
    await store.write(notesCollection, sampleNotes, textsOf);
    const noteOf = async (more: object = {}) =>
      (
        await store.semanticSearch({
          ...notesCollection,
          params: { semantic: { field: 'body', prompt: 'car', ...more } },
        })
      ).note;
    expect(await noteOf()).toBe('6 of 6 passages have no vectors yet and are only searched lexically.');
    expect(await noteOf({ mode: 'lexical' })).toBeUndefined();
    const [first] = await store.unembedded(embedder.id, 1);
    await store.embed(embedder.id, [{ passage: first!.passage, vector: vectorOf(first!.text) }]);
    expect(await noteOf({ mode: 'dense' })).toContain('5 of 6 passages');
    await embedAll(store);
    expect(await noteOf()).toBeUndefined();
    embedder.fault = new TypeError('fetch failed');
    expect(await noteOf({ prompt: 'automobile' })).toMatch(/could not be embedded.*Lexical ranking only/);
    expect(
      await (await inMemory({ embedders: [] })).semanticSearch({
        ...notesCollection,
        params: { semantic: { field: 'body', prompt: 'car' } },
      }),
    ).not.toHaveProperty('note', expect.any(String));
  });

  it('from earlier configurations are used until the active one has processed more', async () => {
    const [before, current] = [new WordEmbedder('before', 32), new WordEmbedder('current', 64)];
    const store = await inMemory({ embedders: [current, before] });
    await store.write(notesCollection, sampleNotes, textsOf);
    await embedAll(store, before);
    current.fault = new Error('must not be asked yet');
    expect((await semanticSearchIds(store, { prompt: 'automobile', mode: 'dense' }))[0]).toBe('garage');
    current.fault = undefined;
    await embedAll(store, current);
    before.fault = new Error('must not be asked any more');
    expect((await semanticSearchIds(store, { prompt: 'automobile', mode: 'dense' }))[0]).toBe('garage');
    await store.keepEmbedders(['current']);
    expect(await store.passageCount(notesCollection, 'body', 'before')).toEqual({ passages: 6, embedded: 0 });
    expect(await store.passageCount(notesCollection, 'body', 'current')).toEqual({ passages: 6, embedded: 6 });
    await expect(store.embed('current', [{ passage: 1, vector: vectorOf('x', 32) }])).rejects.toThrow(
      'have 64 dimensions, not 32',
    );
  });
});

it('vector search finds the same passages as a full comparison, no matter how many the filter leaves', async () => {
  const store = await inMemory();
  const count = 1500;
  const vectors = Array.from({ length: count }, (_, index) =>
    vectorOf(`text number${index} of${index % 37} and${index % 11}`),
  );
  const records = vectors.map((_, index) => ({ id: `r${index}`, body: `body ${index}`, priority: index % 50 }));
  await store.write(notesCollection, records, textsOf);
  const passages = await store.unembedded('words-64', count);
  await store.embed(
    'words-64',
    passages.map(({ passage }, index) => ({ passage, vector: vectors[index]! })),
  );
  let hit = 0;
  for (let round = 0; round < 30; round++) {
    const prompt = `text of${round} and${round % 7} number${round * 31}`;
    const lowest = [0, 25, 45, 49][round % 4]!;
    const asked = vectorOf(prompt);
    const wanted = records
      .filter(({ priority }) => priority >= lowest)
      .map(({ id }) => [id, cosine(vectors[Number(id.slice(1))]!, asked)] as const)
      .sort(([, one], [, other]) => other - one)
      .slice(0, 10)
      .map(([id]) => id);
    const filter = { gte: { priority: lowest } };
    const ids = await semanticSearchIds(store, { prompt, mode: 'dense', filter });
    hit += ids.filter((id) => wanted.includes(id as string)).length;
  }
  expect(hit / 300).toBeGreaterThanOrEqual(0.99);
});

it('scores words with BM25 over all passages, whether they are rare or in nearly every one', async () => {
  const store = await inMemory();
  // The lower a word's number, the more passages contain it.
  const wordIn = (index: number, place: number) =>
    `w${Math.floor(60 ** ((((index * 7919 + place * 104729) % 1009) / 1009) ** 2))}`;
  const bodies = Array.from({ length: 900 }, (_, index) =>
    Array.from({ length: 5 + (index % 40) }, (__, place) => wordIn(index, place)),
  );
  const records = bodies.map((words, index) => ({ id: `r${index}`, body: words.join(' '), priority: index % 4 }));
  await store.write(notesCollection, records, textsOf);
  const average = bodies.flat().length / bodies.length;
  const holding = new Map<string, number>();
  for (const body of bodies) for (const word of new Set(body)) holding.set(word, (holding.get(word) ?? 0) + 1);
  const naive = (words: readonly string[], body: readonly string[]): number =>
    words.reduce((sum, word) => {
      const found = holding.get(word) ?? 0;
      const count = body.filter((one) => one === word).length;
      const weight = Math.log(1 + (bodies.length - found + 0.5) / (found + 0.5));
      return sum + (weight * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * body.length) / average));
    }, 0);
  for (const words of [['w1'], ['w1', 'w2', 'w3'], ['w50', 'w1', 'w2'], ['w58', 'w20', 'w1', 'w30'], ['w1', 'w57']]) {
    for (const filter of [undefined, { eq: { priority: 1 } }]) {
      const wanted = bodies
        .filter((_, index) => !filter || index % 4 === 1)
        .map((body) => naive(words, body))
        .sort((one, other) => other - one)
        .slice(0, 10);
      const hits = await searchSemantically(store, {
        prompt: words.join(' '),
        ...(filter && { filter }),
        mode: 'lexical',
      });
      // Inverts the normalization of scores to the range from 0 to 1.
      const scores = hits.map(({ score }) => (6 * score) / (1 - score));
      expect(hits.length, words.join(' ')).toBe(wanted.filter((score) => score > 0).length);
      for (const [index, score] of scores.entries()) expect(score, words.join(' ')).toBeCloseTo(wanted[index]!, 2);
    }
  }
});

it('shows whole words and characters around every passage, within the requested size', async () => {
  const store = await inMemory();
  const piece = fc.oneof(
    { weight: 4, arbitrary: fc.stringMatching(/^[a-z]{1,12}$/) },
    fc.constantFrom(
      '👩\u200d👩\u200d👧',
      '🇩🇪',
      'e\u0301a\u0302',
      '数据库夜间故障',
      'สวัสดีชาวโลก',
      '👍🏽',
      'नमस्ते',
      '한국어',
      '\n',
      '...',
    ),
    { weight: 1, arbitrary: fc.constant('x'.repeat(150)) },
  );
  const side = fc.array(piece, { maxLength: 120 }).map((pieces) => pieces.join(' '));
  await fc.assert(
    fc.asyncProperty(side, side, fc.integer({ min: 1, max: 2048 }), async (before, after, size) => {
      const said = `${before}\nthe unmistakable middle\n${after}`;
      const start = [...before].length + 1;
      const passages = [{ start, end: start + 23, attribution: {} }];
      await store.write(notesCollection, [{ id: 'a', turns: [said] }], () => [
        { field: 'turns', text: said, passages },
      ]);
      const [hit] = await searchSemantically(store, { field: 'turns', prompt: 'unmistakable', context_size: size });
      const { context } = hit!;
      const length = [...context].length;
      expect(context).toContain('the unmistakable middle');
      const at = said.indexOf(context);
      expect(at).toBeGreaterThanOrEqual(0);
      expect(length).toBeLessThanOrEqual(Math.max(size, 23));
      expect(length).toBeGreaterThanOrEqual(Math.min(size, [...said].length) - 80);
      const edges = new Set([...new Intl.Segmenter('en').segment(said)].map(({ index }) => index));
      expect(edges.has(at)).toBe(true);
      expect(edges.has(at + context.length) || at + context.length === said.length).toBe(true);
      // Words of plain letters are only split if they are longer than the edge can move.
      const cut = /^[a-z]{0,40}$/;
      const outer = [/[a-z]*$/.exec(said.slice(0, at))![0], /^[a-z]*/.exec(said.slice(at + context.length))![0]];
      const inner = [/^[a-z]*/.exec(context)![0], /[a-z]*$/.exec(context)![0]];
      for (const [index, part] of outer.entries()) {
        if (part !== '' && inner[index] !== '') expect(cut.test(part + inner[index]), part + inner[index]).toBe(false);
      }
    }),
    { numRuns: caseCount(150), seed: seedOf(20261120) },
  );
});
