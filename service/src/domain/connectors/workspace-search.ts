import { ConnectorError } from 'agent-connectors';
import type { ResponseOf, WorkspaceSearch, WorkspaceSearchResponse } from 'agent-connectors/wire';
import { projected } from '../../data/records/index.js';
import { matchedHits } from '../../data/records/passages/hits.js';
import { type MergedPassage, mergeEntities } from '../../data/records/passages/merge-fields.js';
import { entityWordsOf } from '../../data/records/passages/semantic-search.js';
import type { PassageHit } from '../../data/records/passages/types.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import { type Definitions, replicatedEntities } from './definitions.js';
import type { Gate, Permit } from './gate.js';
import { summaryOfHit, wordsToHighlight } from './hit-summary.js';
import type { Readiness } from './readiness.js';
import { type BoundMeta, boundMeta, boundMetaOf, type RecordReader } from './record-reader.js';
import { requesterOf, type Searches } from './search.js';

const searchFailed = { reason: 'search_failed' } as const;

/** Hits, plus the targets that could not be searched. */
type Result = ResponseOf<typeof WorkspaceSearchResponse>;
type Skipped = Result['meta']['skipped'][number];

/** Dependencies of the search. */
export interface WorkspaceSearchDependencies {
  readonly definitions: Definitions;
  readonly gate: Gate;
  readonly records: RecordReader;
  readonly searches: Searches;
  readonly readiness: Readiness;
  readonly report: (error: unknown) => void;
}

/** An entity of a connector that supports semantic search. */
interface EntityTarget {
  readonly row: ConnectorRow;
  readonly entity: string;
  /** Its semantic fields; empty if only titles are searched. */
  readonly fields: readonly string[];
  /** Fields to show for a hit without a semantic field. */
  readonly shown: readonly string[];
  /** The entity that provides the titles. */
  readonly group: string;
}

/** A target that the caller is allowed to read. */
interface ReadableTarget extends EntityTarget, Statistics {
  readonly permit: Permit;
  readonly as_user?: BoundMeta | undefined;
  readonly synced_at: string | null;
}

type Statistics = Awaited<ReturnType<RecordReader['wordStatistics']>>;

/** Runs a semantic search on all connectors and merges the results using shared statistics. */
export async function searchWorkspace(
  rows: readonly ConnectorRow[],
  input: Omit<WorkspaceSearch, 'connector_ids' | 'connectors'>,
  dependencies: WorkspaceSearchDependencies,
): Promise<Result> {
  const started = performance.now();
  const { prompt, mode, limit = 10, entities } = input;
  const { records } = dependencies;
  const { reranking } = records;
  const depth = limit * overfetchFactor;
  const targets = rows.flatMap((row) => searchTargets(row, dependencies.definitions));
  const matching = targets.filter(({ entity }) => entities?.includes(entity) ?? true);
  const gaps: Array<Result['meta']['missing'][number]> = [];
  const skipped: Skipped[] = rows
    .filter((row) => !targets.some((target) => target.row === row))
    .map((row) => ({
      connector: nameOf(row),
      entity_name: null,
      reason: 'It does not support semantic search.',
    }));
  /** A failure in one entity does not affect the others. */
  const unlessSkipped = async <T>({ row, entity }: EntityTarget, work: () => Promise<T>): Promise<T[]> => {
    try {
      return [await work()];
    } catch (error) {
      const code = ConnectorError.is(error) ? error.code : undefined;
      // An invalid prompt is invalid for every target, so report it to the caller.
      if (code === 'invalid_params') throw error;
      const isExplained = code === 'forbidden' || code === 'timeout' || code === 'rate_limited';
      let reason = isExplained ? (error as ConnectorError).message : 'The store failed; see the log.';
      if (code === 'denied_by_policy') reason = 'A policy does not allow searching it.';
      else if (!isExplained) dependencies.report(error);
      skipped.push({ connector: nameOf(row), entity_name: entity, reason });
      const gap = code === 'denied_by_policy' ? ({ reason: 'policy', permanent: true } as const) : searchFailed;
      gaps.push({ connector: nameOf(row), entity, detail: reason, ...gap });
      return [];
    }
  };
  const collectionOf = ({ row, entity }: EntityTarget) => ({ connectorId: row.id, type: row.type, entity });
  const promptOf = (target: EntityTarget) => ({ ...collectionOf(target), requester: requesterOf(target.row), prompt });
  const open = async (target: EntityTarget): Promise<ReadableTarget> => {
    const { row, entity } = target;
    const fields = new Set(target.fields);
    const { readiness, missing } = await dependencies.readiness.ofSearch(row, entity, fields);
    const { ready_for_search, synced_at, message } = readiness;
    const isExcluded = !replicatedEntities(row, dependencies.definitions.of(row.type)).includes(entity);
    const permanent = isExcluded && { permanent: true as const };
    gaps.push(...missing.map((gap) => ({ connector: nameOf(row), ...gap, ...permanent })));
    if (target.fields.length > 0 && !ready_for_search && message !== null) {
      skipped.push({ connector: nameOf(row), entity_name: entity, reason: message });
    }
    const call = { row, entity, action: 'context_store_search', params: input };
    return dependencies.gate.pass(call, async (permit) => ({
      ...target,
      permit,
      synced_at,
      ...(permit.asUser && (await boundMeta(permit.asUser, permit, records, collectionOf(target)))),
      ...(await records.wordStatistics(permit, promptOf(target))),
    }));
  };
  const readable = (await Promise.all(matching.map((target) => unlessSkipped(target, () => open(target))))).flat();
  const words = entityWordsOf(
    readable.flatMap(({ texts }) => texts),
    readable.flatMap(({ about }) => about),
  );
  const ranked = await Promise.all(
    readable.map((target) =>
      unlessSkipped(target, async () => ({
        target,
        group: JSON.stringify([target.row.id, target.group]),
        ...(await records.rankEntity(target.permit, { ...promptOf(target), mode, words })),
      })),
    ),
  );
  const found = ranked.flat();
  const best = mergeEntities(found, words, { prompt, limit: reranking?.depthFor(depth) ?? depth });
  const read = await Promise.all(
    readable.map(async (target) => {
      const own = best.filter((one) => one.target === target);
      const hits = await records.readHits(target.permit, collectionOf(target), own, {
        prompt,
        contextSize: input.context_size ?? 2048,
      });
      return [target, hits] as const;
    }),
  );
  const hitsOf = new Map(read);
  const all = best.flatMap((merged) => {
    const hit = hitsOf.get(merged.target)?.get(merged.passage);
    return hit ? [{ merged, passage: { ...hit, score: merged.score } }] : [];
  });
  const unique = withoutCopies(all);
  const reranked = await reranking?.best(prompt, unique, limit);
  const bound = readable.some(({ as_user }) => as_user) ? boundMetaOf(readable) : {};
  const statistics = readable.flatMap(({ texts, about }) => [...texts, ...about]);
  const ordered = reranked?.hits ?? unique.slice(0, limit);
  const { hits, unmatched } =
    mode === 'dense'
      ? { hits: ordered, unmatched: [] }
      : matchedHits(prompt, ordered, limit, ({ passage }) => passage, 'as_user' in bound ? undefined : statistics);
  const highlighted = wordsToHighlight(prompt);
  const data = await Promise.all(hits.map((one) => toWorkspaceHit(one, dependencies.searches, highlighted)));
  const searched = found.filter(({ target }) => target.fields.length > 0);
  const rankers = [...new Set((searched.length > 0 ? searched : found).map(({ ranker }) => ranker))].sort();
  const took_ms = Math.round(performance.now() - started);
  // Timestamps in the same format can be compared as strings.
  const synced_at = found.flatMap(({ target }) => target.synced_at ?? []).sort()[0] ?? null;
  const order = { rankers, ...reranked?.meta };
  const meta = {
    has_more: false as const,
    cursor: null,
    took_ms,
    ...order,
    ...(unmatched.length > 0 && { unmatched_words: [...unmatched] }),
    synced_at,
    complete: gaps.every(({ permanent }) => permanent),
    missing: gaps,
    skipped: dedupeSkipped(skipped),
  };
  return { data, meta: { ...meta, ...bound } };
}

function searchTargets(row: ConnectorRow, definitions: Definitions): EntityTarget[] {
  // The module that provides this type may not be loaded.
  if (!definitions.names.includes(row.type)) return [];
  const { description, manifest } = definitions.of(row.type);
  return description.entities.flatMap(({ name: entity, search }) => {
    const fields = Object.keys(search?.semantic ?? {});
    const about = manifest.entities[entity]?.search?.about;
    const parts = [...(about?.title ?? []), ...(about?.words ?? [])].map((path) => path.split('.')[0]!);
    const shown = [...new Set(['id', 'url', ...parts])].filter((name) => name in (search?.fields ?? {}));
    return fields.length > 0 || about ? [{ row, entity, fields, shown, group: about?.of ?? entity }] : [];
  });
}

const nameOf = ({ id, name, type }: ConnectorRow): Skipped['connector'] => ({ id, name, type });

interface ReadPassage {
  readonly merged: MergedPassage<ReadableTarget>;
  readonly passage: PassageHit;
}

/** Number of passages loaded per requested hit, because several may have the same text. */
const overfetchFactor = 2;

/** Merges an entity's records that have the same passage and counts the duplicates. */
function withoutCopies(found: readonly ReadPassage[]): Array<ReadPassage & { readonly duplicates: number }> {
  const groups = new Map<string, ReadPassage[]>();
  for (const one of found) {
    const key = JSON.stringify([one.merged.target.entity, one.passage.context.replaceAll(/\s+/g, ' ').trim()]);
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()].map((group) => ({ ...group[0]!, duplicates: group.length - 1 }));
}

async function toWorkspaceHit(
  { merged: { target, field, record: id }, passage, duplicates }: ReturnType<typeof withoutCopies>[number],
  searches: Searches,
  highlighted: readonly string[],
): Promise<Result['data'][number]> {
  const { permit, row, entity, fields } = target;
  const shown = fields.includes(field) ? field : fields[0];
  const { record, context } = passage;
  const ids = Object.keys(record).filter((name) => record[name] === id);
  const [hit] =
    shown === undefined
      ? [{ entity: projected(record, [...target.shown, ...ids]), metadata: { context } }]
      : await searches.hits(permit, row, { entity, field: shown }, [passage]);
  const metadata = { ...hit!.metadata, context, score: Math.round(passage.score * 1e6) / 1e6 };
  const summary = summaryOfHit(record, { ...passage.attribution, ...metadata }, highlighted);
  const name = fields.includes(field) ? field : 'about';
  return {
    connector: nameOf(row),
    entity_name: entity,
    field: name,
    ...summary,
    duplicates,
    entity: hit!.entity,
    metadata,
  };
}

/** Lists an entity only once, even if it has several fields. */
const dedupeSkipped = (skipped: readonly Skipped[]): Skipped[] => [
  ...new Map(skipped.map((one) => [JSON.stringify([one.connector.id, one.entity_name]), one])).values(),
];
