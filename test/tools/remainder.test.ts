import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { handleIn, insideOf, readAll, tokensIn, toolsOf } from './setup.js';
import { shelf } from './shelf.js';

afterEach(() => void vi.useRealTimers());

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
  const large = [{ id: '1', text: 'x'.repeat(9_000), size: 1 }];
  const cut = async (execute = onRecords(large, { maxOutputTokens: 500 })) => ({
    execute,
    handle: handleIn((await execute.run(list)).text)!,
  });
  const gone = { isError: true, text: expect.stringContaining('continue is unknown') };

  test('can be used again', async () => {
    const { execute, handle } = await cut();
    const parts = [await execute.run({ continue: handle }), await execute.run({ ...list, continue: handle })];
    expect(insideOf(parts[0]!.text).inside).toBe(insideOf(parts[1]!.text).inside);
  });

  test('expires after fifteen minutes', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { execute, handle } = await cut();
    vi.advanceTimersByTime(15 * 60_000 - 1);
    expect((await execute.run({ continue: handle })).isError).toBe(false);
    vi.advanceTimersByTime(1);
    expect(await execute.run({ continue: handle })).toMatchObject(gone);
  });

  test('belongs only to this toolset, and cannot be forged', async () => {
    const [one, other] = [await cut(), await cut()];
    expect(await other.execute.run({ continue: one.handle })).toMatchObject(gone);
    for (const handle of ['x', `${'a'.repeat(16)}.0`, `${one.handle}0000`, one.handle.replace(/^./, '_')]) {
      expect(await one.execute.run({ continue: handle })).toMatchObject(gone);
    }
    expect(one.handle).not.toBe(other.handle);
  });

  test('of the oldest result is evicted at 64 MB', async () => {
    const execute = onRecords([{ id: '1', text: 'x'.repeat(30 * 2 ** 20), size: 1 }]);
    const handles: string[] = [];
    for (let at = 0; at < 3; at++) handles.push((await cut(execute)).handle);
    const found = await Promise.all(handles.map((handle) => execute.run({ continue: handle })));
    expect(found.map(({ isError }) => isError)).toEqual([true, false, false]);
  });

  test('is not issued for anything larger', async () => {
    const execute = onRecords([{ id: '1', text: 'x'.repeat(65 * 2 ** 20), size: 1 }]);
    const { text } = await execute.run(list);
    expect(handleIn(text)).toBeUndefined();
    expect(text).toMatch(/too many to keep\. Request less data\.$/);
  });
});
