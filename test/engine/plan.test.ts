import { ConnectorError, connector as defineConnector, type Plan } from 'agent-connectors';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { describe, expect, it } from 'vitest';
import { failure } from '../failure.js';
import { fakeFetch, json } from './fake-fetch.js';
import { book, key, ShelfConnector, shelf } from './shelf.js';
import { visibleText } from './visible.js';

const library = () => {
  const shelves = new Map([['b1', 'A']]);
  const { fetch, sent } = fakeFetch(({ method, json: body, url }) => {
    if (method === 'POST') return json(book(body.id, { title: body.title }));
    if (method === 'PUT') return json(book('b1'));
    return json(book('b1', { id: `${shelves.get(url.pathname.split('/').at(-1)!)}-b1` }));
  });
  return { connector: shelf(fetch), sent, shelves };
};

describe('a plan', () => {
  it('shows the request that would change data, and sends nothing', async () => {
    const { connector, sent } = library();
    const plan = await connector.plan('books', 'create', { title: 'Emma' });
    expect(plan).toEqual({
      connector: 'shelf',
      entity: 'books',
      action: 'create',
      request: { method: 'POST', url: 'https://api.shelf.example/v1/books', body: { id: plan.id, title: 'Emma' } },
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      digest: expect.stringMatching(/^[\da-f]{64}$/),
    });
    expect(sent).toEqual([]);
    expect(visibleText(plan)).not.toContain(key.api_key);
  });

  it('has a digest that earlier releases computed, even for long parameters', async () => {
    const id = '00000000-0000-4000-8000-000000000000';
    const { connector, sent } = library();
    const earlier = [
      ['Emma', '81399d041e5e718a3d9ee9bff31513bee8a6e2d6f926a4e9fa90fe57707e7306'],
      [`é${'😀'.repeat(200_000)}"`, 'f85ac6d9c407164d8e0f57bb1cc85ea553fafa97a92b54d2b53feee512aa4cbb'],
    ] as const;
    for (const [title, digest] of earlier) {
      const plan = await connector.plan('books', 'create', { title });
      await connector.execute('books', 'create', { title }, { plan: { ...plan, id, digest } });
    }
    expect(sent.map(({ json: body }) => body.id)).toEqual([id, id]);
  });

  it('is executed as created, with the same id, as many times as requested', async () => {
    const { connector, sent } = library();
    const plan = JSON.parse(JSON.stringify(await connector.plan('books', 'create', { title: 'Emma' }))) as Plan;
    await connector.execute('books', 'create', { title: 'Emma' }, { plan });
    await connector.execute('books', 'create', { title: 'Emma' }, { plan });
    expect(sent[0]?.json.id).toBe(plan.id);
    expect(sent.map(({ json: body }) => body)).toEqual([plan.request.body, plan.request.body]);
  });

  it('reads its dependencies, and is rejected if they have changed', async () => {
    const { connector, sent, shelves } = library();
    const params = { id: 'b1', shelf: 'C' };
    const plan = await connector.plan('books', 'move', params);
    expect(plan.request.body).toEqual({ from: 'A-b1', to: 'C' });
    expect(sent.map(({ method }) => method)).toEqual(['GET']);
    await connector.execute('books', 'move', params, { plan });
    expect(sent.map(({ method }) => method)).toEqual(['GET', 'GET', 'PUT']);
    shelves.set('b1', 'B');
    const error = await failure(connector.execute('books', 'move', params, { plan }));
    expect(error).toMatchObject({ code: 'conflict', retryable: false });
    expect(sent.map(({ method }) => method)).toEqual(['GET', 'GET', 'PUT', 'GET']);
  });

  it.each([
    ['other parameters', { title: 'Persuasion' }, {}, 'conflict'],
    ['another digest', { title: 'Emma' }, { digest: 'f'.repeat(64) }, 'conflict'],
    ['another id', { title: 'Emma' }, { id: 'mine' }, 'conflict'],
    ['another action', { title: 'Emma' }, { action: 'update' }, 'invalid_params'],
    ['another connector type', { title: 'Emma' }, { connector: 'linear' }, 'invalid_params'],
    ['no connector type', { title: 'Emma' }, { connector: '' }, 'invalid_params'],
    ['no digest', { title: 'Emma' }, { digest: '' }, 'invalid_params'],
  ])('must match the execution: %s', async (_, params, changes, code) => {
    const { connector, sent } = library();
    const plan = { ...(await connector.plan('books', 'create', { title: 'Emma' })), ...changes };
    expect(await failure(connector.execute('books', 'create', params, { plan }))).toMatchObject({ code });
    expect(sent).toEqual([]);
  });

  it('is rejected by another type of connector, with the reason', async () => {
    const { connector } = library();
    const { fetch, sent } = fakeFetch(() => json({}));
    const plan = await connector.plan('books', 'create', { title: 'Emma' });
    const OtherConnector = defineConnector({ ...ShelfConnector.manifest, name: 'archive', title: 'Archive' });
    const archive = new OtherConnector({ credentials: key, fetch });
    const error = await failure(archive.execute('books', 'create', { title: 'Emma' }, { plan }));
    expect(error.code).toBe('invalid_params');
    expect(error.message).toBe("plan: must be the result of plan('books', 'create', …) on a archive connector.");
    expect(sent).toEqual([]);
  });

  it.each([
    ['another key', { credentials: { api_key: 'another' } }],
    ['another auth mode', { credentials: { access_token: key.api_key } }],
    ['another endpoint', { endpoints: { api: 'https://staging.shelf.example/v1' } }],
  ])('is rejected with %s', async (_, options) => {
    const { connector } = library();
    const { fetch, sent } = fakeFetch(() => json({}));
    const plan = await connector.plan('books', 'create', { title: 'Emma' });
    const other = new ShelfConnector({ credentials: key, fetch, ...options } as never);
    const error = await failure(other.execute('books', 'create', { title: 'Emma' }, { plan }));
    expect(error).toMatchObject({ code: 'conflict', retryable: false });
    expect(sent).toEqual([]);
  });

  it('survives a token refresh', async () => {
    const oauth = { client_id: 'c', client_secret: 's' };
    const { fetch, sent } = fakeFetch(({ json: body }) => json(book(body.id, { title: body.title })));
    const opened = (tokens: object) => new ShelfConnector({ credentials: { ...oauth, ...tokens } as never, fetch });
    const plan = await opened({ access_token: 'a1', refresh_token: 'r1' }).plan('books', 'create', { title: 'Emma' });
    const renewed = opened({ access_token: 'a2', refresh_token: 'r2' });
    await renewed.execute('books', 'create', { title: 'Emma' }, { plan });
    expect(sent.map(({ json: body }) => body)).toEqual([plan.request.body]);
  });

  it('is rejected for reads, invalid parameters and actions denied by a policy', async () => {
    const { fetch, sent } = fakeFetch(() => json({}));
    const connector = shelf(fetch);
    expect(await failure(connector.plan('books', 'get', { id: 'b1' }))).toMatchObject({
      code: 'invalid_params',
      message: 'books.get is not a write and needs no plan: call execute.',
    });
    const wrong = connector.plan('books', 'create', { title: '' });
    expect(await failure(wrong)).toMatchObject({ code: 'invalid_params', issues: [{ path: 'title' }] });
    const forbidden = shelf(fetch, { readOnly: true }).plan('books', 'delete', { id: 'b1' });
    expect(await failure(forbidden)).toMatchObject({ code: 'denied_by_policy' });
    expect(sent).toEqual([]);
  });

  it('is not supported by a custom transport, and the error says so', async () => {
    const connector = new ShelfConnector({ transport: async () => ({ data: {}, meta: {} }) });
    const error = await failure(connector.plan('books', 'delete', { id: 'b1' }));
    expect(error).toBeInstanceOf(ConnectorError);
    expect(error.code).toBe('unknown_outcome');
  });
});

describe('an upload plan', () => {
  const upload = () => {
    const { fetch, sent } = fakeFetch(() => json({ id: 'f1', name: 'a.txt' }));
    return { drive: new GoogleDriveConnector({ credentials: { access_token: 'ya29.plan' }, fetch }), sent };
  };

  it('verifies the content by its digest', async () => {
    const { drive, sent } = upload();
    const given = (text: string) => ({ name: 'a.txt', file_content: new TextEncoder().encode(text) });
    const plan = await drive.plan('files_upload', 'create', given('one'));
    const other = drive.execute('files_upload', 'create', given('two'), { plan });
    expect(await failure(other)).toMatchObject({ code: 'conflict' });
    expect(sent.filter(({ method }) => method !== 'GET')).toEqual([]);
    await drive.execute('files_upload', 'create', given('one'), { plan });
    expect(sent.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  it('cannot be created for a stream', async () => {
    const { drive } = upload();
    const file_content = new Blob(['text']).stream();
    const error = await failure(drive.plan('files_upload', 'create', { name: 'a.txt', file_content }));
    expect(error).toMatchObject({ code: 'invalid_params' });
  });
});
