import { createService } from 'agent-connectors-service';
import { expect, onTestFinished, test } from 'vitest';
import { asked, companySandbox } from '../../meaning/company.js';
import { evaluate, type Found, tableOf } from '../../meaning/evaluate.js';
import type { Question } from '../../meaning/questions.js';
import { type Tenant, tenantOf } from '../../service/http/setup.js';
import { WordEmbedder } from '../../service/store/embedder.js';

const keys: Readonly<Record<string, string>> = { call_transcripts: 'callId' };
const path = '/api/v1/integrations/connectors';

type Ids = Readonly<Record<string, string>>;

/** The company, replicated by a service: connectors by their type, and Drive without what others have shared. */
async function replicated(): Promise<{ acme: Tenant; ids: Ids; myDrive: string }> {
  const sandbox = companySandbox();
  const service = await createService({
    ...{ dataFolder: ':memory:', dev: true, fetch: sandbox.fetch, now: () => asked.now },
    embedders: [new WordEmbedder('words-384', 384)],
  });
  onTestFinished(() => service.close());
  const acme = await tenantOf(service, 'Acme');
  const { linear, gong, granola, 'google-drive': drive } = sandbox.vendors;
  const ids = {
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
  return { acme, ids, myDrive };
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
  const { acme, ids, myDrive } = await replicated();
  const measured = async (mode: string, among: Ids = ids, name = mode) => {
    const { rows } = await evaluate(searching(acme, among, mode));
    console.log(`measured: ${name}\n${tableOf(rows)}`);
    const rowOf = (field: string | null, kind: string | null) =>
      rows.find((row) => row.field === field && row.kind === kind)!;
    return { all: rowOf(null, null), keyword: rowOf(null, 'keyword'), files: rowOf('files.content', null) };
  };
  const lexical = await measured('lexical');
  const narrow = await measured('lexical', { ...ids, 'google-drive': myDrive }, 'lexical, of Drive My Drive alone');
  const dense = await measured('dense');
  const hybrid = await measured('hybrid');
  // Written words are found; what is said in other words is what an embedder is for.
  expect(lexical.all.mrr).toBeGreaterThan(0.55);
  // Ten questions have their answers in what others have shared.
  expect(lexical.files.mrr).toBeGreaterThan(narrow.files.mrr + 0.15);
  // The embedder of the tests knows words alone, and worse than BM25 does: it must not spoil them where both rank.
  expect(dense.keyword.mrr).toBeGreaterThan(0.3);
  expect(hybrid.all.mrr).toBeGreaterThan(dense.all.mrr);
});
