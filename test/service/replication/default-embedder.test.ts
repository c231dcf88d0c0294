import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreateOptions } from 'agent-connectors-service';
import { expect, onTestFinished, test } from 'vitest';
import { defaultEmbedders } from '../../../service/src/data/search/embedding/options.js';
import { createRequester, type Tenant } from '../http/setup.js';
import { WordEmbedder } from '../store/embedder.js';
import { searchEntity, startReplicatingService, waitForNewestJob } from './setup.js';

const issuesOnly = { replication_config: { entities: ['issues'] } };

/** The ranker used by a search, and whether every passage has its vector. */
async function rankerOf(tenant: Pick<Tenant, 'ask'>, id: string, semantic: object = {}) {
  const { body } = await searchEntity(tenant, id, 'issues', { semantic: { prompt: 'bank feeds', ...semantic } });
  return [body.result?.meta.ranker ?? body.code, body.result?.meta.readiness.message ?? null];
}
const eventually = (check: () => Promise<unknown>) => expect.poll(check, { timeout: 30_000, interval: 20 });

test('a service ranks semantically by default', async () => {
  const { acme, linear } = await startReplicatingService({ embedders: undefined });
  const id = await linear(issuesOnly);
  await waitForNewestJob(acme, id);
  await eventually(() => rankerOf(acme, id)).toEqual(['hybrid', null]);
});

test('records stored without vectors get them in the background, and keep them until another model has finished embedding', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'embedding-'));
  onTestFinished(() => rm(dataFolder, { recursive: true }));
  const stored: CreateOptions = { dataFolder, key: Buffer.alloc(32, 7).toString('base64') };
  const first = await startReplicatingService({ ...stored, embedders: [] });
  const id = await first.linear(issuesOnly);
  await waitForNewestJob(first.acme, id);
  expect(await rankerOf(first.acme, id)).toEqual(['lexical', null]);
  await first.service.close();
  const reopen = async (embedders: CreateOptions['embedders']) => {
    const { service } = await startReplicatingService({ ...stored, replicate: false, embedders });
    return { service, acme: { ask: createRequester(service, { authorization: `Bearer ${first.acme.token}` }) } };
  };

  const second = await reopen(undefined);
  await eventually(() => rankerOf(second.acme, id)).toEqual(['hybrid', null]);
  await second.service.close();

  const slow = new WordEmbedder();
  slow.fault = new Error('Not yet.');
  const third = await reopen([slow, ...defaultEmbedders]);
  expect(await rankerOf(third.acme, id, { mode: 'dense' })).toEqual(['dense', null]);
  slow.fault = undefined;
  await third.service.close();

  const fourth = await reopen([slow]);
  await eventually(() => rankerOf(fourth.acme, id, { mode: 'dense' })).toEqual(['dense', null]);
});
