import { createService, type Embedder } from 'agent-connectors-service';
import { expect, onTestFinished } from 'vitest';
import { companyOptions, companySandbox } from '../../semantic-search/company.js';
import { evaluate, type Row, type SearchHit, tableOf } from '../../semantic-search/evaluate.js';
import { ofFields, ofWorkspace, type Question, questions, recordKey } from '../../semantic-search/questions.js';
import { isTuningQuestion } from '../../semantic-search/tuning-split.js';
import { tenantOf } from '../../service/http/setup.js';

const keys: Readonly<Record<string, string>> = { call_transcripts: 'callId' };
const path = '/api/v1/integrations/connectors';

/** The example company, replicated by a service and ready for the labeled questions. */
export interface Replica {
  /** Asks every question and prints the table; Drive includes files shared by others, or is limited to My Drive. */
  measure(mode: string, name: string, drive?: 'shared' | 'mine'): Promise<RowLookup>;
  /**
   * The same across all fields of the workspace. Only judged records count as hits, namely those of the question's own
   * entity; hits from other fields were not judged and count as misses.
   */
  measureWorkspace(mode: string, name: string): Promise<RowLookup>;
  /**
   * Asks the questions about titles, metadata and more across everything, and asks those that one field can answer in
   * that field, too.
   */
  measureEverything(mode: string, name: string): Promise<{ readonly workspace: RowLookup; readonly fields: RowLookup }>;
}

/** The row for the questions of a kind or field, or for all. */
export type RowLookup = (part?: { readonly kind?: string; readonly field?: string }) => Row;

/** Replicates the company and waits until the embedder has processed every passage. */
export async function replicaOf(embedder: Embedder): Promise<Replica> {
  const sandbox = companySandbox();
  const service = await createService({
    dataFolder: ':memory:',
    dev: true,
    fetch: sandbox.fetch,
    now: () => companyOptions.now,
    embedders: [embedder],
    // The clock is stopped, so rate limits would never refill.
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

  const searchField =
    (mode: string, own: Readonly<Record<string, string>>) =>
    async ({ type, entity, field, prompt }: Question): Promise<SearchHit[]> => {
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
  const searchWorkspace =
    (mode: string) =>
    async ({ type, entity, prompt }: Question): Promise<SearchHit[]> => {
      const { body } = await acme.ask('POST', '/api/v1/workspaces/main/search', {
        json: { prompt, mode, context_size: 800, connector_ids: Object.values(ids), limit: 10 },
      });
      return body.data.map((hit: any) => {
        const isJudged = hit.connector.type === type && hit.entity_name === entity;
        return isJudged ? { id: String(hit.entity[keys[entity] ?? 'id']), passage: hit.metadata.context } : 'elsewhere';
      });
    };
  const keyed = (type: string, entity: any) =>
    recordKey(type, String(entity.callId ?? entity.metaData?.id ?? entity.scorecardId ?? entity.id));
  const searchEverything =
    (mode: string) =>
    async ({ prompt }: Question): Promise<SearchHit[]> => {
      const { body } = await acme.ask('POST', '/api/v1/workspaces/main/search', {
        json: { prompt, mode, connector_ids: Object.values(ids), limit: 10 },
      });
      return body.data.map((hit: any) => keyed(hit.connector.type, hit.entity));
    };
  const searchOwnField =
    (mode: string) =>
    async (question: Question): Promise<SearchHit[]> => {
      const hits = await searchField(mode, ids)(question);
      return hits.map((hit) => recordKey(question.type, (hit as { readonly id: string }).id));
    };
  return {
    measureEverything: async (mode, name) => ({
      workspace: await measureSearch(`everything, ${name}, the workspace`, searchEverything(mode), ofWorkspace),
      fields: await measureSearch(`everything, ${name}, per field`, searchOwnField(mode), ofFields),
    }),
    measure: (mode, name, files = 'shared') =>
      measureSearch(name, searchField(mode, files === 'shared' ? ids : { ...ids, 'google-drive': myDrive })),
    measureWorkspace: (mode, name) => measureSearch(`${name}, of the whole workspace`, searchWorkspace(mode)),
  };
}

/** Caches an embedder by text, since the company's sentences often repeat. */
export function remembering({ id, embed }: Embedder): Embedder {
  const known = new Map<string, Float32Array>();
  return {
    id,
    async embed(texts, kind, signal) {
      const fresh = [...new Set(texts)].filter((text) => !known.has(text));
      const vectors = fresh.length > 0 ? await embed(fresh, kind, signal) : [];
      for (const [index, text] of fresh.entries()) known.set(text, vectors[index]!);
      return texts.map((text) => known.get(text)!);
    },
  };
}

/** Asks every question and prints the results; for each half of the questions only the mean. */
async function measureSearch(
  name: string,
  search: (question: Question) => Promise<SearchHit[]>,
  asked: readonly Question[] = questions,
): Promise<RowLookup> {
  const { rows, answers } = await evaluate(search, asked);
  const halves = [true, false].map(async (half) => {
    const foundByQuestion = new Map(answers.map(({ question, rankedIds }) => [question, rankedIds]));
    const part = await evaluate(
      async (question) => foundByQuestion.get(question)!,
      asked.filter((question) => isTuningQuestion(question) === half),
    );
    return `the half that ${half ? 'decides' : 'checks'}: ${tableOf(part.rows.slice(0, 1)).split('\n').at(-1)}`;
  });
  console.log([`measured: ${name}`, tableOf(rows), ...(await Promise.all(halves))].join('\n'));
  return ({ kind = null, field = null } = {}) => rows.find((row) => row.field === field && row.kind === kind)!;
}
