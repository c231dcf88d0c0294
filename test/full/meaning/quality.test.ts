import { createService } from 'agent-connectors-service';
import { expect, onTestFinished, test } from 'vitest';
import { asked, companySandbox } from '../../meaning/company.js';
import { evaluate, type Found, tableOf } from '../../meaning/evaluate.js';
import type { Question } from '../../meaning/questions.js';
import { type Tenant, tenantOf } from '../../service/http/setup.js';

const keys: Readonly<Record<string, string>> = { call_transcripts: 'callId' };
const path = '/api/v1/integrations/connectors';

/** The company, replicated by a service: connectors by their type. */
async function replicated(): Promise<{ acme: Tenant; ids: Readonly<Record<string, string>> }> {
  const sandbox = companySandbox();
  const service = await createService({
    dataFolder: ':memory:',
    dev: true,
    fetch: sandbox.fetch,
    now: () => asked.now,
  });
  onTestFinished(() => service.close());
  const acme = await tenantOf(service, 'Acme');
  const { linear, gong, granola, 'google-drive': drive } = sandbox.vendors;
  const ids = {
    linear: await acme.connect('linear', linear.credentials.api_key),
    gong: await acme.connect('gong', gong.credentials.basic),
    granola: await acme.connect('granola', granola.credentials.api_key),
    'google-drive': await acme.connect('google-drive', drive.credentials.oauth),
  };
  await expect
    .poll(
      async () => {
        const answers = await Promise.all(Object.values(ids).map((id) => acme.ask('GET', `${path}/${id}/inspect`)));
        return answers
          .flatMap(({ body }) => body.context_store_readiness.entities)
          .every(({ status }) => status === 'ready');
      },
      { timeout: 240_000, interval: 500 },
    )
    .toBe(true);
  return { acme, ids };
}

const searching =
  (acme: Tenant, ids: Readonly<Record<string, string>>, mode: string) =>
  async ({ type, entity, field, prompt }: Question): Promise<Found[]> => {
    const { body } = await acme.ask('POST', `${path}/${ids[type]}/execute`, {
      json: {
        entity,
        action: 'context_store_search',
        params: { semantic: { field, prompt, mode, context_size: 800 }, limit: 10 },
      },
    });
    return body.result.data.map((hit: any) => ({
      id: String(hit.entity[keys[entity] ?? 'id']),
      passage: hit.metadata.context,
    }));
  };

test('passages answer the questions of the company: MRR, nDCG and recall by field and kind', async () => {
  const { acme, ids } = await replicated();
  const { rows } = await evaluate(searching(acme, ids, 'lexical'));
  console.log(`measured: lexical\n${tableOf(rows)}`);
  const [all] = rows;
  // Written words are found; what is said in other words is what an embedder is for.
  expect(all!.mrr).toBeGreaterThan(0.5);
});
