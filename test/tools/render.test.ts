import { GongConnector } from 'agent-connectors/gong';
import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { createSandbox } from 'agent-connectors-sandbox';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { caseCount } from '../cases.js';
import { connectorsOn, insideOf, outsideOf, toolsOf } from './setup.js';
import { shelf } from './shelf.js';

const list = { entity: 'things', action: 'list' };
const linesOf = (text: string) => insideOf(text).inside.split('\n');
const onRecords = (data: unknown, meta: object = { next: null }) =>
  toolsOf(shelf(() => ({ data, meta })).connector).execute;
const rowsFor = async (data: unknown, more: object = {}) =>
  linesOf((await onRecords(data).run({ ...list, ...more })).text);

describe('a list', () => {
  test('is one table if records consist of scalars, with dotted names for objects', async () => {
    const { execute } = toolsOf(connectorsOn().linear);
    const { text, data } = await execute.run({ entity: 'issues', action: 'list', params: { first: 3 } });
    const [columns, ...rows] = linesOf(text).filter((line) => !line.startsWith('null or empty'));
    expect(columns).toMatch(/^id\|identifier\|url\|title\|state\.name\|priority\|/);
    expect(rows).toHaveLength(3);
    const [first] = (data as any).data;
    expect(rows[0]!.split('|').slice(0, 5)).toEqual([
      first.id,
      first.identifier,
      first.url,
      first.title,
      first.state.name,
    ]);
    expect(text).toMatch(/^3 records\. /);
  });

  test('with only one record is shown as a single record', async () => {
    expect((await onRecords([{ id: '1', text: 'x', size: null }]).run(list)).text).toMatch(/^1 record\. /);
  });

  test('leaves null cells empty, marks empty strings, and reports fields that are null or empty in all records', async () => {
    const records = [
      { id: '1', text: '', size: null, tags: [], parts: {} },
      { id: '2', text: null, size: null, tags: null, parts: {} },
    ];
    expect(await rowsFor(records)).toEqual(['null or empty in all: size, tags, parts', 'id|text', '1|""', '2|']);
  });

  test('shows requested fields that are null as null', async () => {
    const select_fields = ['id', 'text', 'size'];
    const records = [
      { id: '1', text: 'null', size: null },
      { id: '2', text: null, size: null },
    ];
    expect(await rowsFor(records, { select_fields })).toEqual(['id|text|size', '1|"null"|null', '2|null|null']);
    expect(await rowsFor(records.slice(1), { select_fields })).toEqual([JSON.stringify(records[1])]);
    expect(await rowsFor(records.slice(1), { view: 'full' })).toEqual(['{"id":"2"}']);
    // A field of an object that is null.
    const params = { first: 50 };
    const { execute } = toolsOf(connectorsOn().linear);
    const { text, data } = await execute.run({
      entity: 'issues',
      action: 'list',
      params,
      select_fields: ['identifier', 'assignee.name', 'dueDate'],
    });
    const rows = (data as any).data.map(({ identifier, assignee, dueDate }: any) =>
      [identifier, dueDate ?? 'null', assignee?.name ?? 'null'].join('|'),
    );
    expect(rows.some((row: string) => row.endsWith('|null|null'))).toBe(true);
    expect(linesOf(text).slice(-rows.length)).toEqual(rows);
  });

  test('is one record per line, without nulls, if records contain lists of objects', async () => {
    const parts = [{ a: 1, b: 2 }];
    const records = [
      { id: '1', parts, none: null },
      { id: '2', parts: [] },
    ];
    expect((await rowsFor(records)).map((line) => JSON.parse(line))).toEqual([
      { id: '1', parts },
      { id: '2', parts: [] },
    ]);
  });

  test('has lists of scalars, and of single-field objects, as JSON in a cell', async () => {
    const records = [
      { id: '1', tags: ['a', 'b|c'], labels: [{ name: 'Bug' }] },
      { id: '2', tags: [], labels: [] },
    ];
    expect(await rowsFor(records)).toEqual(['id|tags|labels.name', '1|["a","b\\|c"]|["Bug"]', '2||']);
  });

  test('truncates long strings, says so, and shows them in full in the full view and in a single record', async () => {
    const long = { id: '1', text: 'word '.repeat(200), size: 1 };
    const cut = await onRecords([long, long]).run(list);
    expect(insideOf(cut.text).inside).toContain('… [700 more characters]');
    expect(outsideOf(cut.text)).toContain('Text is truncated at 300 characters; view: "full" shows the full text.');
    expect((cut.data as any).data[0].text).toBe(long.text);
    const full = await onRecords([long, long]).run({ ...list, view: 'full' });
    expect(full.text).not.toContain('more characters');
    const get = { entity: 'things', action: 'get', params: { id: '1' } };
    expect((await onRecords(long).run(get)).text).toContain(long.text);
  });

  test('does not let a value forge a row or column', async () => {
    const hostile = fc.array(
      fc.oneof(
        fc.constantFrom('|', '\\', '\n', '\r', '\u2028', '\\|', '"', '>>>', '\u0085'),
        fc.string({ unit: 'binary' }),
      ),
      { maxLength: 12 },
    );
    const text = hostile.map((parts) => parts.join(''));
    const record = fc.record({ id: text, text, size: fc.integer() });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 2, maxLength: 6 }), async (records) => {
        const [columns, ...rows] = await rowsFor(records, { view: 'full' });
        expect(columns).toBe('id|text|size');
        expect(rows).toHaveLength(records.length);
        for (const [at, row] of rows.entries()) {
          const cells = row.replaceAll(/\\./gs, '').split('|');
          expect(cells).toHaveLength(3);
          expect(cells[2]).toBe(String(records[at]!.size));
        }
      }),
      { numRuns: caseCount(100) },
    );
  });
});

describe('the concise view', () => {
  const { execute } = toolsOf(connectorsOn().linear);
  const issues = { entity: 'issues', action: 'list', params: { first: 3 } };

  test("is the tools' default, and its omissions are counted and named", async () => {
    const { text, data } = await execute.run(issues);
    expect(outsideOf(text)).toMatch(/concise view: \d+ other fields \(.+\); view: "full" or select_fields for more\./);
    expect((data as any).data[0]).not.toHaveProperty('description');
    const full = await execute.run({ ...issues, view: 'full' });
    expect(outsideOf(full.text)).not.toContain('concise view');
    expect(full.text).toContain('"labelIds"');
  });

  test('is overridden by select_fields', async () => {
    const { text } = await execute.run({ ...issues, select_fields: ['title', 'team.key'] });
    expect(linesOf(text)[0]).toBe('title|team.key');
    expect(outsideOf(text)).not.toContain('concise view');
  });

  test('is one of only two accepted views', async () => {
    const { text, isError } = await execute.run({ ...issues, view: 'short' });
    expect([isError, text]).toEqual([true, expect.stringContaining('view must be concise or full')]);
  });

  test('shows notes as lines, and omits a cursor that is already shown elsewhere', async () => {
    const meta = { next: 'p2', notes: ['Archived ones are left out.'], took_ms: 3, has_more: true };
    const { text } = await onRecords([{ id: '1', text: 'x', size: 1 }], meta).run(list);
    expect(linesOf(text)[0]).toBe('Note: Archived ones are left out.');
    expect(outsideOf(text)).toContain('{"cursor":"p2"}');
  });
});

describe('a transcript', () => {
  test("from Gong is shown as lines with time and speaker, with each speaker's id written only once", async () => {
    const { vendors, fetch } = createSandbox({ seed: 7 });
    const gong = new GongConnector({ credentials: vendors.gong.credentials.basic, fetch });
    const { id } = (await gong.calls.list({})).data[0]!;
    const params = { filter: { callIds: [id] } };
    const { text, data } = await toolsOf(gong).execute.run({ entity: 'call_transcripts', action: 'list', params });
    const [, record, speakers, names, ...lines] = linesOf(text);
    expect(JSON.parse(record!)).toEqual({ callId: id });
    expect(speakers).toMatch(/^speakers: S1 = \d+, S2 = \d+/);
    expect(names).toMatch(/^names of speakers: parties from calls_extensive\.list, called once/);
    const [{ transcript }] = (data as any).data;
    const turns = lines.filter((line) => !line.startsWith('topic: '));
    expect(turns).toHaveLength(transcript.length);
    for (const turn of turns) expect(turn).toMatch(/^\[\d\d:\d\d\] S\d: \S/);
    expect(turns[0]).toContain(transcript[0].sentences.map((sentence: { text: string }) => sentence.text).join(' '));
  });

  test('from Granola has names if known, and times relative to its start', async () => {
    const { granola } = connectorsOn();
    const { data: notes } = await granola.notes.list({});
    const call = { entity: 'notes', action: 'get', params: { note_id: notes[0]!.id, include: 'transcript' } };
    const [record, first, ...others] = linesOf((await toolsOf(granola).execute.run(call)).text);
    expect(JSON.parse(record!)).toMatchObject({ id: notes[0]!.id, summary_markdown: expect.any(String) });
    expect(first).toMatch(/^\[00:00\] [^:]+: /);
    expect(others.length).toBeGreaterThan(3);
    for (const line of others) expect(line).toMatch(/^\[(\d:)?\d\d:\d\d\] [^:]+: /);
  });
});

test('a Google Analytics report has rows under its column names, with rounded fractions', async () => {
  const { vendors, fetch } = createSandbox({ seed: 7 });
  const credentials = Object.values(vendors['google-analytics'].credentials)[0]! as never;
  const { execute } = toolsOf(new GoogleAnalyticsConnector({ credentials, fetch }));
  const call = { entity: 'traffic_sources', action: 'list', params: { property_id: '320200001', limit: 20 } };
  const { text, data } = await execute.run(call);
  const [meta, columns, ...rows] = linesOf(text);
  expect(meta).toContain('"row_count"');
  expect(meta).not.toMatch(/quota|headers/);
  expect(columns).toMatch(/^date\|sessionSource\|sessionMedium\|totalUsers\|/);
  expect(rows).toHaveLength(20);
  expect(text).not.toMatch(/\d\.\d{9}/);
  expect(outsideOf(text)).toContain('rounded to six digits');
  const { dimensionValues } = (data as any).data[0];
  expect(rows[0]!.split('|')[0]).toBe(dimensionValues[0].value);
  expect((await execute.run({ ...call, view: 'full' })).text).toMatch(/\d\.\d{9}/);
  const whole = await execute.run({ ...call, params: { ...call.params, metrics: [{ name: 'sessions' }] } });
  expect(whole.text).not.toContain('rounded');
  const cut = await execute.run({ ...call, select_fields: ['metricValues'] });
  expect(linesOf(cut.text)[1]).toBe('metricValues.value');
});

test('results never exceed the budget, as measured by a custom token counter', async () => {
  const data = Array.from({ length: 60 }, (_, at) => ({ id: `${at}`, text: 'Grüße aus Köln 🎉 '.repeat(9), size: at }));
  for (const countTokens of [(text: string) => text.length, (text: string) => Math.ceil(text.length / 3)]) {
    const { execute } = toolsOf(shelf(() => ({ data, meta: { next: null } })).connector, {
      countTokens,
      maxOutputTokens: 1_500,
    });
    for (let args: object = { ...list, view: 'full' }, parts = 1; ; parts++) {
      const { text, data: rest } = await execute.run(args);
      expect(countTokens(text)).toBeLessThanOrEqual(1_500);
      const handle = (rest as { continue?: string }).continue;
      if (handle === undefined) {
        expect(parts).toBeGreaterThan(1);
        break;
      }
      args = { continue: handle };
    }
  }
});
