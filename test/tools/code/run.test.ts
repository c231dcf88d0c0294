import { codeMode } from 'agent-connectors/code';
import type { PendingWrite } from 'agent-connectors/tools';
import { createAgentTools } from 'agent-connectors/tools';
import { describe, expect, test } from 'vitest';
import { connectorsOn, handleIn, insideOf, outsideOf } from '../setup.js';
import { shelf } from '../shelf.js';
import { codeTools, now } from './setup.js';

const thing = (id: string, text = 'Hello') => ({ id, text, size: id.length });

/** A shelf of five items, two per page. */
const pagedShelf = () =>
  shelf(({ action, params }) => {
    if (action !== 'list') return thing('1');
    const start = Number(params.cursor ?? 0);
    const data = ['1', '2', '3', '4', '5'].slice(start, start + 2).map((id) => thing(id));
    return { data, meta: { next: start + 2 < 5 ? String(start + 2) : null } };
  });

describe('the tool', () => {
  test('is offered only if the host enables it, and does not affect the other tools', () => {
    const { connector } = pagedShelf();
    expect(createAgentTools(connector).map(({ name }) => name)).not.toContain('run_code');
    const { code } = codeTools(connector, { prefix: 'acme' });
    expect(code.name).toBe('acme_run_code');
    expect(code.annotations).toEqual({ readOnly: false, destructive: true });
    expect(codeTools(connector, { readOnly: true }).code.annotations).toEqual({ readOnly: true, destructive: false });
  });

  test('is announced in fewer than 260 tokens', () => {
    const { linear, granola, drive } = connectorsOn();
    const { description, inputSchema } = codeTools({ linear, granola, 'google-drive': drive }).code;
    expect(description).toContain('linear, granola, googleDrive.');
    expect(JSON.stringify({ description, inputSchema }).length / 4).toBeLessThan(260);
  });

  test('validates its arguments, and its limits when it is created', async () => {
    const { code } = codeTools(pagedShelf().connector);
    expect((await code.run({})).text).toContain('code is required');
    expect((await code.run({ code: 'return 1', file: 'x' })).text).toContain('file is not an argument');
    expect((await code.run({ code: ' '.repeat(100_001) })).text).toContain('exceeds the limit of 100000 characters');
    expect(() => codeMode({ memoryMb: 4 })).toThrow('memoryMb must be between 16 and 1,024');
    expect(() => codeMode({ timeout: 4 } as object)).toThrow("Did you mean 'timeoutMs'?");
  });
});

describe('code', () => {
  test('calls actions and returns its own result', async () => {
    const { connector, sent } = pagedShelf();
    const { run } = codeTools(connector);
    const { text, data, isError } = await run(`
      const { data, next } = await shelf.things.list({ colour: 'red' }, { select_fields: ['id'] });
      const more = await shelf.things.list({ colour: 'red', ...next });
      return { ids: data, size: more.data.reduce((sum, { size }) => sum + size, 0), next: more.next };`);
    expect(isError).toBe(false);
    expect(data).toMatchObject({ data: { ids: [{ id: '1' }, { id: '2' }], size: 2, next: { cursor: '4' } } });
    expect(insideOf(text).provenance).toBe('run_code');
    expect(outsideOf(text)).toContain('Calls: shelf/things.list ×2.');
    expect(sent.map(({ params }) => params.limit)).toEqual([100, 100]);
  });

  test('reads all pages in a list', async () => {
    const { connector, sent } = pagedShelf();
    const { value } = codeTools(connector);
    expect(
      await value('const ids = []; for await (const { id } of shelf.things.list.all()) ids.push(id); return ids;'),
    ).toEqual(['1', '2', '3', '4', '5']);
    expect(sent).toHaveLength(3);
  });

  test('reaches several connectors at the same time, by name', async () => {
    const { linear, granola } = connectorsOn();
    const { value } = codeTools({ linear, 'team-notes': granola });
    const counts = await value(`
      const [issues, notes] = await Promise.all([linear.issues.list({ first: 3 }), teamNotes.notes.list({ page_size: 2 })]);
      return [issues.data.length, notes.data.length];`);
    expect(counts).toEqual([3, 2]);
  });

  test('gets errors with their code, and suggestions for an unknown name', async () => {
    const { value, failure } = codeTools(pagedShelf().connector);
    const caught = `try { await shelf.thing.list() } catch ({ code, message }) { return { code, message } }`;
    expect(await value(caught)).toEqual({
      code: 'unknown_entity',
      message: expect.stringContaining("Did you mean 'things'?"),
    });
    expect(await failure('await shelf.things.list({ limitt: 3 })')).toMatch(
      /invalid_params[\s\S]+limitt[\s\S]+1 failed/,
    );
    expect(await failure('await shelf.things.list(3)')).toContain('params must be an object');
    expect(await failure('await shelf.things.list({}, { fields: [] })')).toContain('takes select_fields');
    expect(await failure('for await (const x of shelf.things.get.all({ id: "1" })) {}')).toContain(
      'actions that give a list',
    );
  });

  test('reads downloads in chunks', async () => {
    const bytes = new TextEncoder().encode('name,size\nbox,3\n');
    const { connector } = shelf(() => ({
      data: new Blob([bytes]).stream(),
      meta: {
        content_type: 'text/csv',
        content_length: bytes.length,
        content_range: null,
        file_name: 'a',
        notice: null,
      },
    }));
    const { value } = codeTools(connector);
    expect(await value("return (await shelf.things.download({ id: '1' })).data.content.split('\\n').length")).toBe(3);
  });

  test("returns the calls' notes about omissions along with its value", async () => {
    const notes = ['Archived things are left out.'];
    const { connector } = shelf(() => ({ data: [{ id: '1', text: 'x', size: 1 }], meta: { next: null, notes } }));
    const { run } = codeTools(connector);
    const { text, data } = await run('let n = 0; for await (const thing of shelf.things.list.all()) n++; return n');
    expect(insideOf(text).inside).toContain('shelf/things.list: Archived things are left out.');
    expect(data).toMatchObject({ data: 1, meta: { notes: ['shelf/things.list: Archived things are left out.'] } });
  });

  test('logs, and reports its errors with their location', async () => {
    const { run, failure } = codeTools(pagedShelf().connector);
    expect((await run("console.log('a', { b: 1 }); return 1")).data).toMatchObject({ meta: { log: ['a {"b":1}'] } });
    const text = await failure("console.log('so far');\nconst x = null;\nreturn x.y;");
    expect(text).toMatch(/^Failed: the code threw an error\.[\s\S]+TypeError: [^\n]+\(line 3\)\nLog:\nso far/);
    expect(await failure('return (')).toMatch(/SyntaxError: [^\n]+\(line \d\)/);
    expect((await run('1 + 1')).text).toContain('end it with a return statement');
  });

  test("sees a frozen clock, in UTC, regardless of the host's time zone", async () => {
    const { value } = codeTools(pagedShelf().connector);
    const zone = process.env.TZ;
    process.env.TZ = 'Asia/Tokyo';
    try {
      const times = await value(`
        const first = Date.now();
        for (let i = 0; i < 200000; i++);
        return [first, Date.now(), new Date().toString(), new Date(2026, 0, 1).toISOString(), Math.random()];`);
      const again = await value('return Math.random()');
      expect(times.slice(0, 4)).toEqual([now, now, 'Wed Mar 04 2026 05:06:07 GMT+0000', '2026-01-01T00:00:00.000Z']);
      expect(again).toBe(times[4]);
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  test('returns as much as fits, and everything if it has written something', async () => {
    const { run } = codeTools(pagedShelf().connector, { maxOutputTokens: 500 });
    const code = "return Array.from({ length: 300 }, (_, n) => ({ n, name: 'thing' }))";
    const { text } = await run(code);
    expect(text.length).toBeLessThan(2_000);
    expect(handleIn(text)).toBeUndefined();
    expect(text).toContain('The rest cannot be read: request less data.');
    const written = await run(`await shelf.things.create({ text: 'Hello' }); ${code}`);
    expect(insideOf(written.text).inside).toContain('"n":299');
  });
});

describe('writes', () => {
  const create = "await shelf.things.create({ text: 'Hello' }, { intent: 'as asked' })";

  test('require approval one by one, showing what will be sent', async () => {
    const { connector, sent } = pagedShelf();
    const pending: PendingWrite[] = [];
    const approve = async (write: PendingWrite) => {
      pending.push(write);
      return pending.length === 1 || 'One is enough.';
    };
    const { run } = codeTools(connector, { approve });
    const { text, isError } = await run(`${create}; ${create};`);
    expect(isError).toBe(true);
    expect(text).toContain('denied_by_policy');
    expect(text).toContain('One is enough');
    expect(text).toContain('Writes (kept even if the code failed): shelf/things.create (done).');
    expect(pending[0]).toMatchObject({
      action: 'create',
      effect: 'write',
      params: { text: 'Hello' },
      intent: 'as asked',
    });
    expect(sent.map(({ action }) => action)).toEqual(['create']);
  });

  test('awaiting approval are not sent, and say so', async () => {
    const { connector, sent } = pagedShelf();
    const { value, failure } = codeTools(connector, { approve: () => ({ pending: 'plan-1' }) });
    const caught = await value(`try { ${create} } catch ({ code, pending }) { return { code, pending } }`);
    expect(caught).toEqual({ code: 'approval_pending', pending: 'plan-1' });
    expect(await failure(create)).toContain('needs approval and was not sent');
    expect(sent).toEqual([]);
  });

  test("make the whole run require a framework's approval", async () => {
    const { connector } = pagedShelf();
    expect(await codeTools(connector).code.isWrite?.({ code: create })).toBe(true);
    expect(codeTools(connector, { readOnly: true }).code.isWrite).toBeUndefined();
  });

  test('are denied if the tools are read-only or if they are not on the allow list', async () => {
    const { connector, sent } = pagedShelf();
    expect(await codeTools(connector, { readOnly: true }).failure(create)).toMatch(/denied_by_policy[\s\S]+read-only/);
    expect(await codeTools(connector, { allow: ['things.list'] }).failure(create)).toContain('denied_by_policy');
    expect(sent).toEqual([]);
  });

  test('that the code does not await are still awaited and reported', async () => {
    let answer: (value: unknown) => void = () => {};
    const { connector } = shelf(
      () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    );
    const { run } = codeTools(connector);
    const running = run(`${create.replace('await ', '')}; return 'early'`);
    await expect.poll(() => answer.name).not.toBe('answer');
    answer(thing('1'));
    const { text, isError } = await running;
    expect(isError).toBe(false);
    expect(text).toContain('shelf/things.create (done)');
  });

  test('interrupted by a limit are reported as possibly executed', async () => {
    const { connector } = shelf(({ action }) => (action === 'list' ? [] : new Promise(() => {})));
    const { failure } = codeTools(connector, {}, { steps: 200 });
    const text = await failure(`${create.replace('await ', '')}; await shelf.things.list(); for (;;);`);
    expect(text).toContain('shelf/things.create (unknown)');
  });
});
