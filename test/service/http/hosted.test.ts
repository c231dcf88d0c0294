import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { LinearConnector } from 'agent-connectors/linear';
import { describe, expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { startTestService } from './setup.js';

/** Library connectors in hosted mode, each next to one that calls the vendor directly. */
async function both() {
  const running = await startTestService();
  const { sandbox, service } = running;
  const acme = await running.tenant();
  const { linear, 'google-drive': drive } = sandbox.vendors;
  await acme.connect('linear', linear.credentials.api_key);
  await acme.connect('google-drive', drive.credentials.oauth);
  const options = {
    hosted: {
      baseUrl: 'https://service.test',
      clientId: acme.clientId,
      clientSecret: acme.clientSecret,
      workspace: acme.workspace,
    },
    fetch: ((input: RequestInfo | URL, init?: RequestInit) =>
      service.fetch(new Request(input, init))) as typeof globalThis.fetch,
  };
  return {
    sandbox,
    hosted: new LinearConnector(options),
    direct: new LinearConnector({ credentials: linear.credentials.api_key, fetch: sandbox.fetch }),
    hostedDrive: new GoogleDriveConnector(options),
    directDrive: new GoogleDriveConnector({ credentials: drive.credentials.oauth, fetch: sandbox.fetch }),
  };
}

describe('a hosted connector', () => {
  test('returns the same results as a direct connector', async () => {
    const { hosted, direct } = await both();
    expect(await hosted.issues.list({ first: 3 })).toEqual(await direct.issues.list({ first: 3 }));
    expect(await hosted.issues.get({ id: 'ENG-1' })).toEqual(await direct.issues.get({ id: 'ENG-1' }));
    const shaped = { selectFields: ['title', 'team.key'], maxStringLength: 10 } as const;
    expect(await hosted.issues.list({ first: 3 }, shaped)).toEqual(await direct.issues.list({ first: 3 }, shaped));
    expect(await hosted.teams.list({}, { raw: true })).toEqual(await direct.teams.list({}, { raw: true }));
    const pages = [];
    for await (const team of hosted.paginate('teams', 'list', { first: 1 })) pages.push(team.id);
    expect(pages.length).toBeGreaterThan(1);
  });

  test('fails like a direct connector', async () => {
    const { hosted, direct, hostedDrive, directDrive } = await both();
    const shown = (error: any) => ({ ...error.toJSON(), vendor: { ...error.vendor, requestId: undefined } });
    for (const [theirs, ours] of [
      [() => hosted.issues.get({ id: 'ENG-99999' }), () => direct.issues.get({ id: 'ENG-99999' })],
      [
        () => hosted.issues.update({ id: 'ENG-1', stateId: 'x' }),
        () => direct.issues.update({ id: 'ENG-1', stateId: 'x' }),
      ],
      [() => hostedDrive.files.get({ fileId: 'nope' }), () => directDrive.files.get({ fileId: 'nope' })],
    ] as const) {
      expect(shown(await failure(theirs()))).toEqual(shown(await failure(ours())));
    }
  });

  test('sends its searches to the service', async () => {
    const { hosted } = await both();
    const { data, meta } = await hosted.issues.context_store_search({ query: {} });
    expect([data, meta.has_more]).toEqual([[], false]);
  });

  test('executes a write once, and uploads and downloads files', async () => {
    const { hosted, hostedDrive, directDrive } = await both();
    const { data: teams } = await hosted.teams.list();
    const { data: made } = await hosted.issues.create({ teamId: teams[0]!.id, title: 'Hosted' });
    expect(made.issue.title).toBe('Hosted');
    const content = new TextEncoder().encode('Hello from afar, 世界.');
    const { data: file } = await hostedDrive.files_upload.create({ name: 'a.txt', file_content: content });
    const { data: stream, meta } = await hostedDrive.files.download({ fileId: file.id });
    expect(new Uint8Array(await new Response(stream).arrayBuffer())).toEqual(content);
    expect(meta).toEqual((await directDrive.files.download({ fileId: file.id })).meta);
    const range = await hostedDrive.files.download({ fileId: file.id, range_header: 'bytes=0-4' });
    expect([await new Response(range.data).text(), range.meta.content_range]).toEqual([
      'Hello',
      `bytes 0-4/${content.length}`,
    ]);
  });
});
