import { describe, expect, test } from 'vitest';
import { samplesOf } from '../http/metrics.js';
import { connectorPath } from '../http/setup.js';
import { promptOf, replicated, workspaceSearch } from './search-setup.js';
import { hitsOf, searchEntity, waitForNewestJob } from './setup.js';

describe('replicated data', () => {
  test('is deleted with its connector and with its workspace', async () => {
    const { acme, tickets, notes, service } = await replicated();
    await waitForNewestJob(acme, notes);
    const { prompt } = await promptOf(acme, tickets);
    expect((await workspaceSearch(acme, { prompt, entities: ['issues'] })).body.data).not.toEqual([]);
    expect((await acme.ask('DELETE', connectorPath(tickets))).status).toBe(200);
    expect((await workspaceSearch(acme, { prompt, entities: ['issues', 'comments'] })).body.data).toEqual([]);
    expect((await acme.ask('GET', connectorPath(tickets, '/jobs'))).status).toBe(404);
    expect((await acme.ask('DELETE', '/api/v1/workspaces/main')).status).toBe(200);
    expect(await service.state.replicas.list(notes)).toEqual([]);
  });

  test('is counted in the metrics by type, entity and outcome', async () => {
    const { acme, tickets } = await replicated();
    const { text } = await acme.ask('GET', '/metrics');
    const count = hitsOf(await searchEntity(acme, tickets, 'users')).length;
    expect(samplesOf(text)).toEqual(
      expect.arrayContaining([
        {
          name: 'agent_connectors_replicated_records_total',
          labels: { connector_type: 'linear', entity: 'users', outcome: 'inserted' },
          value: count,
        },
        {
          name: 'agent_connectors_replication_jobs_total',
          labels: { connector_type: 'linear', outcome: 'done' },
          value: 1,
        },
      ]),
    );
  });
});
