import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf, eras, textOf } from '../../mcp/setup.js';
import { insideOf } from '../../tools/setup.js';
import { hitsOf, searchEntity, startReplicatingService, waitForNewestJob } from '../replication/setup.js';

test('a single search covers the workspace, with the same policies and log as over HTTP', async () => {
  const { acme, linear, sandbox, service } = await startReplicatingService();
  const tickets = await linear({ name: 'Our tickets', replication_config: { entities: ['issues'] } });
  await acme.connect('google-drive', sandbox.vendors['google-drive'].credentials.access_token, { name: 'Files' });
  await waitForNewestJob(acme, tickets);
  const issue = hitsOf(await searchEntity(acme, tickets, 'issues')).find(({ description }) => description?.length > 80);
  const prompt = issue.description.slice(0, 80);
  let denied = async () => '';
  for (const era of eras) {
    const client = clientOf(era);
    await client.connect(
      new StreamableHTTPClientTransport(new URL('http://service.test/mcp?results=structured'), {
        fetch: (input, init) => service.fetch(new Request(input, init)),
        requestInit: { headers: { authorization: `Bearer ${acme.token}`, 'x-workspace': 'main' } },
      }),
    );
    onTestFinished(() => client.close());
    const search = async (args: object) =>
      client.callTool({ name: 'search', arguments: { prompt, ...args } as Record<string, unknown> });
    expect((await client.listTools()).tools.find(({ name }) => name === 'search')!.annotations).toMatchObject({
      readOnlyHint: true,
    });
    const found = await search({ limit: 3 });
    const { inside, provenance } = insideOf(textOf(found));
    expect(inside).toContain(issue.title);
    expect(inside).toContain('our-tickets/issues');
    expect(provenance).toBe('search');
    expect(found.structuredContent).toMatchObject({
      opens: expect.stringContaining('external:'),
      data: expect.anything(),
    });
    expect(textOf(await search({ connectors: ['files'] }))).not.toContain('our-tickets');
    expect(textOf(await search({ limit: 101 }))).toContain('1 to 100');
    denied = async () => textOf(await search({}));
  }
  const policy = { workspace_name: 'main', connector_id: tickets, allow: ['comments.context_store_search'] };
  await acme.ask('PUT', '/api/v1/policies', { json: policy });
  const text = await denied();
  expect(text).toContain('Not searched: our-tickets/issues: A policy does not allow searching it');
  expect(text).not.toContain('| our-tickets/issues');
  const log = (await acme.ask('GET', '/api/v1/audit?limit=1000')).body.data;
  const searches = log.filter(({ action, via }: any) => action === 'context_store_search' && via === 'mcp');
  const outcomes = searches.filter(({ entity }: any) => entity === 'issues').map(({ outcome }: any) => outcome);
  expect(outcomes.filter((outcome: string) => outcome === 'success').length).toBeGreaterThanOrEqual(2);
  expect(outcomes.filter((outcome: string) => outcome === 'denied_by_policy')).toHaveLength(1);
});
