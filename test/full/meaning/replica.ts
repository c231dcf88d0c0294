import { createService } from 'agent-connectors-service';
import { expect, onTestFinished } from 'vitest';
import type { Embedder } from '../../../service/src/embedding/types.js';
import { asked, companySandbox } from '../../meaning/company.js';
import { evaluate, type Found, type Row, tableOf } from '../../meaning/evaluate.js';
import type { Question } from '../../meaning/questions.js';
import { tenantOf } from '../../service/http/setup.js';

const keys: Readonly<Record<string, string>> = { call_transcripts: 'callId' };
const path = '/api/v1/integrations/connectors';

/** The company, replicated by a service, to be asked the labelled questions. */
export interface Replica {
  /** Asks every question and prints the table; of Drive what others have shared counts too, or My Drive alone. */
  measure(mode: string, name: string, drive?: 'shared' | 'mine'): Promise<Measured>;
}

/** The row of some questions: of a kind, or a field, or of all. */
export type Measured = (part?: { readonly kind?: string; readonly field?: string }) => Row;

/** Replicates the company, and waits until an embedder has been given all of its passages. */
export async function replicaOf(embedder: Embedder): Promise<Replica> {
  const sandbox = companySandbox();
  const service = await createService({
    ...{ dataFolder: ':memory:', dev: true, fetch: sandbox.fetch, now: () => asked.now },
    embedders: [embedder],
    // The clock stands still, and with it what a client is allowed.
    limits: { rate: 0 },
  });
  onTestFinished(() => service.close());
  const acme = await tenantOf(service, 'Acme');
  const { linear, gong, granola, 'google-drive': drive } = sandbox.vendors;
  const ids: Readonly<Record<string, string>> = {
    linear: await acme.connect('linear', linear.credentials.api_key),
    gong: await acme.connect('gong', gong.credentials.basic),
    granola: await acme.connect('granola', granola.credentials.api_key),
    'google-drive': await acme.connect('google-drive', drive.credentials.oauth, {
      replication_config: { shared_with_me: true },
    }),
  };
  const myDrive = await acme.connect('google-drive', drive.credentials.oauth, { name: 'My Drive' });
  await expect
    .poll(
      async () => {
        const all = [...Object.values(ids), myDrive];
        const answers = await Promise.all(all.map((id) => acme.ask('GET', `${path}/${id}/inspect`)));
        return answers
          .flatMap(({ body }) => body.context_store_readiness.entities)
          .every(({ status, semantic }) => status === 'ready' && semantic.every((one: any) => one.status === 'ready'));
      },
      { timeout: 480_000, interval: 500 },
    )
    .toBe(true);

  const searching =
    (mode: string, own: Readonly<Record<string, string>>) =>
    async ({ type, entity, field, prompt }: Question): Promise<Found[]> => {
      const { body } = await acme.ask('POST', `${path}/${own[type]}/execute`, {
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
  return {
    async measure(mode, name, files = 'shared') {
      const own = files === 'shared' ? ids : { ...ids, 'google-drive': myDrive };
      const { rows } = await evaluate(searching(mode, own));
      console.log(`measured: ${name}\n${tableOf(rows)}`);
      return ({ kind = null, field = null } = {}) => rows.find((row) => row.field === field && row.kind === kind)!;
    },
  };
}
