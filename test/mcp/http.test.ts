import { describe, expect, test } from 'vitest';
import { deferred } from '../deferred.js';
import { connectorsOn, handleIn, insideOf } from '../tools/setup.js';
import { shelf } from '../tools/shelf.js';
import { callers, execute, list, served } from './http-setup.js';
import { eras, listChanges, textOf } from './setup.js';

describe.each(eras)('over HTTP, a %s-era client', (era) => {
  test('uses tools, resources and prompts', async () => {
    const { linear, granola } = connectorsOn();
    const { connect } = await served({ linear, granola }, { results: 'structured' });
    const { client } = await connect(era);
    expect((await client.listTools()).tools).toHaveLength(3);
    const result = await client.callTool(execute({ connector: 'linear', entity: 'teams', action: 'list' }));
    const { data } = await linear.execute('teams', 'list', { first: 25 }, { view: 'concise' });
    expect(result.structuredContent).toMatchObject({ data });
    const docs = await client.callTool({ name: 'read_skill_docs', arguments: { connector: 'granola' } });
    expect(textOf(docs)).toContain('Granola');
    expect(textOf(await client.callTool({ name: 'inspect_connector', arguments: {} }))).toContain('Linear');
    const { resources } = await client.listResources();
    const { contents } = await client.readResource({ uri: resources[0]!.uri });
    expect((contents[0] as { text: string }).text).toContain('name: granola');
    expect((await client.listPrompts()).prompts).toHaveLength(4);
    const refused = await client.callTool(
      execute({ connector: 'linear', entity: 'issues', action: 'create', params: { title: 'x' } }),
    );
    expect(textOf(refused)).toContain('denied_by_policy');
  });

  test('is told once a session, or with each call without sessions, what the vendor withholds', async () => {
    const missing = [{ permanent: true, detail: '2 private records left out.' }];
    const { connect } = await served(shelf(() => ({ data: [{ id: 'a' }], meta: { missing } })).connector);
    const toldIn = async () => {
      const { client } = await connect(era);
      const calls = [await client.callTool(execute(list)), await client.callTool(execute(list))];
      return calls.map((result) => textOf(result).includes('private'));
    };
    for (let session = 0; session < 2; session++) expect(await toldIn()).toEqual([true, era === 'modern']);
  });

  test('cancels a call all the way down to the connector', async () => {
    const [begun, stopped] = [deferred(), deferred<unknown>()];
    const { connector } = shelf(() => undefined);
    const { connect } = await served({
      describe: () => connector.describe(),
      execute: (_entity, _action, _params, options) =>
        new Promise((_, reject) => {
          begun.resolve();
          options!.signal!.addEventListener('abort', () => {
            stopped.resolve('stopped');
            reject(options!.signal!.reason);
          });
        }),
    });
    const { client } = await connect(era);
    const stop = new AbortController();
    const call = client.callTool(execute(list), { signal: stop.signal });
    call.catch(() => {});
    await begun.promise;
    stop.abort();
    await expect(call).rejects.toThrow();
    expect(await stopped.promise).toBe('stopped');
  });

  test('gets progress during a long call', async () => {
    const release = deferred();
    const { connector } = shelf(() => release.promise.then(() => []));
    const { connect } = await served(connector);
    const { client } = await connect(era);
    const told: number[] = [];
    await client.callTool(execute(list), {
      onprogress: ({ progress }) => {
        told.push(progress);
        release.resolve();
      },
    });
    // On a busy machine there may be more than one notification.
    expect(told[0]).toBe(1);
  });

  test('can make 200 concurrent calls', async () => {
    const { connector } = shelf(({ params }) => ({ id: params.id, text: null, size: null }));
    const { connect } = await served(connector, { results: 'structured' });
    const { client } = await connect(era);
    const ids = Array.from({ length: 200 }, (_, index) => `thing-${index}`);
    const started = performance.now();
    const results = await Promise.all(
      ids.map((id) => client.callTool(execute({ entity: 'things', action: 'get', params: { id } }))),
    );
    console.log(`measured: 200 MCP calls at once over HTTP, ${era}: ${Math.round(performance.now() - started)} ms`);
    expect(results.map(({ structuredContent }) => (structuredContent as any).data.id)).toEqual(ids);
  });

  test('chooses the mode of its session with the URL', async () => {
    const { linear } = connectorsOn();
    const { connect, url } = await served({ linear });
    const text = await connect(era);
    const both = await connect(era, 'ann', {}, '?results=structured');
    for (const [{ client }, isStructured] of [
      [text, false],
      [both, true],
    ] as const) {
      const { tools } = await client.listTools();
      expect(tools.map(({ outputSchema }) => outputSchema !== undefined)).toEqual(tools.map(() => isStructured));
      const result = await client.callTool(execute({ entity: 'teams', action: 'list' }));
      expect(result.structuredContent !== undefined).toBe(isStructured);
    }
    const headers = { authorization: 'Bearer ann-token' };
    const refused = await fetch(new URL('?results=json', url), { method: 'POST', headers, body: '{}' });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('text or structured')]);
  });

  test('continues a truncated result, in another session too', async () => {
    const things = Array.from({ length: 300 }, (_, index) => ({ id: `${index}`, text: 'x'.repeat(50), size: null }));
    const { connector } = shelf(() => things);
    const { connect } = await served(connector, { maxOutputTokens: 2_000 });
    const ann = await connect(era, 'ann');
    const first = await ann.client.callTool(execute(list));
    const handle = handleIn(textOf(first))!;
    await ann.client.close();
    const later = await connect(era, 'ann');
    const second = await later.client.callTool(execute({ continue: handle }));
    const both = insideOf(textOf(first)).inside + insideOf(textOf(second)).inside;
    const rows = things.map(({ id, text }) => `${id}|${text}`).join('\n');
    expect(`null or empty in all: size\nid|text\n${rows}`).toContain(both.slice(0, 3_000));
  });

  test('can continue after its connectors change, and is notified of changed lists', async () => {
    const { linear, granola, drive } = connectorsOn();
    const { connect } = await served({ linear, granola });
    const { heard, options } = listChanges();
    const { client, transport } = await connect(era, 'ann', options);
    const session = transport.sessionId;
    await client.callTool(execute({ connector: 'linear', entity: 'teams', action: 'list' }));
    callers.ann = { principal: 'ann', connectors: { granola, drive } };
    const files = { connector: 'drive', entity: 'files', action: 'list', select_fields: ['id'] };
    const listed = await client.callTool(execute(files));
    expect(textOf(listed)).toMatch(/^\d+ records\./);
    await expect.poll(() => heard.tools.length * heard.prompts.length * heard.resources.length).toBeGreaterThan(0);
    expect(JSON.stringify(heard.tools.at(-1))).toContain('drive');
    expect(JSON.stringify(heard.tools.at(-1))).not.toContain('linear');
    const names = (await client.listResources()).resources.map(({ name }) => name);
    expect(names).toContain('drive/actions.files.list');
    expect(names).not.toContain('linear/actions.issues.list');
    await expect(client.readResource({ uri: 'skill://linear/SKILL.md' })).rejects.toThrow();
    const { text } = (await client.getPrompt({ name: 'what_is_here' })).messages[0]!.content as { text: string };
    expect(text).toContain('inspect_connector');
    expect(transport.sessionId).toBe(session);
    // Recreating a connector is not a change.
    const before = heard.tools.length;
    callers.ann = { principal: 'ann', connectors: { granola: connectorsOn().granola, drive } };
    await client.callTool(execute({ connector: 'granola', entity: 'notes', action: 'list' }));
    callers.ann = { principal: 'ann', connectors: {} };
    await expect(client.callTool(execute({ connector: 'granola', entity: 'notes', action: 'list' }))).rejects.toThrow();
    await expect.poll(() => heard.tools.length).toBe(before + 1);
    expect(heard.tools.at(-1)).toEqual([]);
    await expect.poll(() => heard.prompts.at(-1)).toEqual([]);
    callers.ann = { principal: 'ann', connectors: { linear }, allowWrites: true };
    await client.callTool(execute({ entity: 'teams', action: 'list' }));
    await expect.poll(() => JSON.stringify(heard.prompts.at(-1))).toContain('prepare_change');
  });

  test("cannot use another caller's handle if handles are signed", async () => {
    const things = Array.from({ length: 300 }, (_, index) => ({ id: `${index}`, text: 'x'.repeat(50), size: null }));
    const { connector } = shelf(() => things);
    const { connect } = await served(connector, { maxOutputTokens: 2_000 });
    const signerOf = (principal: string) => ({
      sign: (handle: string, name: string) => `${principal}-${name}-${handle.length}`,
      verify: (handle: string, name: string, signature: string) =>
        signature === `${principal}-${name}-${handle.length}`,
    });
    for (const name of ['ann', 'bob']) callers[name] = { ...callers[name]!, signer: signerOf(name) };
    const [ann, bob] = [await connect(era, 'ann'), await connect(era, 'bob')];
    const handle = handleIn(textOf(await ann.client.callTool(execute(list))))!;
    expect(handle).toMatch(/\.ann-shelf-\d+$/);
    const stolen = await bob.client.callTool(execute({ continue: handle }));
    expect(stolen).toMatchObject({ isError: true });
    expect(textOf(stolen)).toContain('continue is invalid or has expired');
    expect((await ann.client.callTool(execute({ continue: handle }))).isError).not.toBe(true);
  });

  test('immediately loses access to whatever its caller is no longer allowed to use', async () => {
    const { linear, granola } = connectorsOn();
    const { connect } = await served({ linear, granola });
    const { client } = await connect(era);
    const call = () => client.callTool(execute({ connector: 'linear', entity: 'teams', action: 'list' }));
    expect((await call()).isError).not.toBe(true);
    callers.ann = { principal: 'ann', connectors: { granola } };
    const after = await call().then(textOf, (error: Error) => error.message);
    expect(after).toMatch(/no entity 'teams'|Unknown connector 'linear'/);
    delete callers.ann;
    await expect(call()).rejects.toThrow();
  });
});
