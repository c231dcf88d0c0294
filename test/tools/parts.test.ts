import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { handleIn, insideOf, readAll, tokensIn, toolsOf } from './setup.js';
import { shelf } from './shelf.js';

const list = { entity: 'things', action: 'list' };
const record = fc.record({
  id: fc.string({ unit: 'binary' }),
  text: fc.oneof(fc.constant(null), fc.string({ unit: 'grapheme', maxLength: 400 }), fc.lorem({ maxCount: 80 })),
  size: fc.integer(),
});

const onRecords = (data: unknown, options: object = {}) =>
  toolsOf(shelf(() => ({ data, meta: { next: null } })).connector, options).execute;

test('the parts of a result add up to the whole, each within the budget', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { maxLength: 60 }),
      fc.integer({ min: 500, max: 3_000 }),
      async (data, tokens) => {
        const parts = await readAll(onRecords(data, { maxOutputTokens: tokens }), { ...list, view: 'full' });
        for (const part of parts) expect(tokensIn(part)).toBeLessThanOrEqual(tokens);
        const whole = parts.map((part) => insideOf(part).inside).join('');
        const { text } = await onRecords(data, { maxOutputTokens: 1_000_000 }).run({ ...list, view: 'full' });
        expect(whole).toBe(insideOf(text).inside);
      },
    ),
    { numRuns: 60 },
  );
});

test('a part ends after a complete record if possible, and never within a character', async () => {
  const data = Array.from({ length: 80 }, (_, at) => ({ id: `${at}`, text: '🎉'.repeat(30), size: at }));
  const parts = await readAll(onRecords(data, { maxOutputTokens: 700 }), list);
  expect(parts.length).toBeGreaterThan(3);
  for (const part of parts.slice(0, -1)) expect(insideOf(part).inside).toMatch(/\|\d+\n$/);
  const long = await readAll(
    onRecords([{ id: '1', text: '🎉'.repeat(5_000), size: 1 }], { maxOutputTokens: 700 }),
    list,
  );
  for (const part of long) expect(insideOf(part).inside).not.toMatch(/\p{Cs}/u);
});

test('a result that fits has data and no handle; one that does not fit has no data', async () => {
  const small = await onRecords([{ id: '1', text: 'x', size: 1 }]).run(list);
  expect(handleIn(small.text)).toBeUndefined();
  expect(small.data).toEqual({ data: [{ id: '1', text: 'x', size: 1 }], meta: { next: null } });
  const large = await onRecords([{ id: '1', text: 'x'.repeat(5_000), size: 1 }], { maxOutputTokens: 500 }).run(list);
  expect(large.data).toEqual({ continue: handleIn(large.text), hint: expect.stringContaining('Truncated:') });
});

test('20,000 tokens are returned whole by default', async () => {
  const data = [{ id: '1', text: 'x'.repeat(200_000), size: 1 }];
  const { text } = await onRecords(data, { countTokens: tokensIn }).run(list);
  expect(tokensIn(text)).toBeLessThanOrEqual(20_000);
  expect(tokensIn(text)).toBeGreaterThan(19_500);
});

describe('a handle', () => {
  const rows = (count: number, from = 0) =>
    Array.from({ length: count }, (_, at) => ({ id: `${from + at}`, text: 'x'.repeat(40), size: at }));
  const idsIn = (parts: readonly string[]) =>
    parts.flatMap((part) => [...insideOf(part).inside.matchAll(/^(\d+)\|/gm)].map(([, id]) => Number(id)));

  test('works in another process, which reads the records again', async () => {
    const [one, other] = [rows(200), rows(200)].map((data) => onRecords(data, { maxOutputTokens: 700 }));
    const first = await one!.run({ ...list, params: { limit: 200 }, select_fields: ['id', 'text'] });
    const handle = handleIn(first.text)!;
    const rest = await readAll(other!, { continue: handle });
    expect(idsIn([first.text, ...rest])).toEqual(rows(200).map(({ id }) => Number(id)));
    expect([first.text, ...rest].join()).not.toContain('has changed');
    for (const part of rest) expect(insideOf(part).inside).not.toMatch(/\|\d+$/m);
  });

  test('stands at both ends of a part, with the number of records', async () => {
    const { text } = await onRecords(rows(200), { maxOutputTokens: 700 }).run(list);
    const [extent] = /Truncated: Characters 1 to \d+ of \d+\. To read on, pass only continue: "[\w-]+"\./.exec(text)!;
    expect(text.startsWith(`200 records. ${extent} The text between`)).toBe(true);
    expect(text.endsWith(`\n200 records. ${extent}`)).toBe(true);
  });

  test('repeats the call after a fresh check of its permissions', async () => {
    const { connector, sent } = shelf(() => rows(200));
    const execute = toolsOf(connector, { maxOutputTokens: 700 }).execute;
    const handle = handleIn((await execute.run({ ...list, params: { colour: 'red' }, intent: 'first' })).text)!;
    await execute.run({ continue: handle, intent: 'second' });
    expect(sent.map(({ params }) => params.colour)).toEqual(['red', 'red']);
    const restricted = toolsOf(connector, { allow: ['things.get'] }).execute;
    expect((await restricted.run({ continue: handle })).text).toContain('denied_by_policy');
    expect(sent).toHaveLength(2);
  });

  test('reads on after the last record if others were added before it, and says so', async () => {
    let data: object[] = rows(200);
    const { connector } = shelf(() => data);
    const { execute } = toolsOf(connector, { maxOutputTokens: 700 });
    const first = await execute.run(list);
    data = [...rows(3, 900), ...rows(200)];
    const second = await execute.run({ continue: handleIn(first.text)! });
    expect(second.text).toContain('The data has changed since the previous part');
    expect(idsIn([second.text])[0]).toBe(idsIn([first.text]).at(-1)! + 1);
    const third = await execute.run({ continue: handleIn(second.text)! });
    expect(third.text).not.toContain('has changed');
    data = rows(2);
    const { text, isError } = await execute.run({ continue: handleIn(third.text)! });
    expect(isError).toBe(false);
    expect(text).toContain('There is nothing after the previous part.');
  });

  test('cannot be used for anything but a read, and is rejected if it was altered', async () => {
    const { connector, sent } = shelf(() => rows(200));
    const { execute } = toolsOf(connector, { maxOutputTokens: 700 });
    const handle = handleIn((await execute.run(list)).text)!;
    const forge = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');
    for (const forged of [
      'x',
      handle.slice(1),
      `${handle.slice(0, -2)}`,
      forge(0, 0, 'a', 'a', 'shelf', 'things', 'delete', { id: '1' }),
      forge(-1, 0, 'a', 'a', 'shelf', 'things', 'list'),
      forge(0, 0, 'a', 'a', 'shelf', 'things'),
      forge(0, 0, 'a', 'a', 'shelf', 'things', 'list', 'x'),
      forge(0, 0, 'a', 'a', 'shelf', 'things', 'list', {}, 'concise', [1]),
      forge(0, 0, 'a', 'a', 'other', 'things', 'list'),
    ]) {
      expect(await execute.run({ continue: forged })).toMatchObject({ isError: true });
    }
    expect(sent).toHaveLength(1);
  });

  test('is not issued for the result of a write, which is returned in full', async () => {
    const { connector } = shelf(() => ({ id: '1', text: 'x'.repeat(9_000), size: 1 }));
    const { execute } = toolsOf(connector, { maxOutputTokens: 500 });
    const { text, data } = await execute.run({ entity: 'things', action: 'create', params: { text: 'x' } });
    expect(handleIn(text)).toBeUndefined();
    expect(insideOf(text).inside).toContain('x'.repeat(9_000));
    expect(data).toMatchObject({ data: { id: '1' } });
  });

  test('is not issued if it would leave no room for the result', async () => {
    const colour = 'red'.repeat(1_000);
    const { text } = await onRecords(rows(200), { maxOutputTokens: 500 }).run({ ...list, params: { colour } });
    expect(handleIn(text)).toBeUndefined();
    expect(text).toMatch(/The rest cannot be read: request less data\.$/);
  });
});
