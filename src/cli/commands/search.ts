import type { WorkspaceHit, WorkspaceHits } from '../../wire/index.js';
import type { CommandCall } from '../arguments/specification.js';
import { usageError } from '../failure.js';
import { connectorId, openSession } from '../hosted.js';
import { nearMoment, wrapText } from '../output/cell.js';
import { type Colours, inLine } from '../output/colour.js';

/** Searches everything that a workspace's connectors have replicated. */
export async function searchWorkspace(call: CommandCall): Promise<void> {
  const { workspace: given, connector_ids: named, ...query } = call.argument;
  const { prompt } = query;
  if (prompt === undefined) throw usageError('Missing prompt. Pass one: {"prompt":"late deliveries"}.');
  const session = await openSession(call);
  const workspace = given ?? session.workspace;
  const ids = named && (await Promise.all(named.map((id: string) => connectorId(session, id, workspace))));
  const found = await session.client.search({ ...query, prompt, ...(ids && { connector_ids: ids }) }, workspace);
  const { print, environment } = call;
  await (print.pretty
    ? print.text(textOf(found, print.colours, environment.stdout.columns || 80))
    : print.result(found));
}

/** Hits by record, best first, followed by what was not searched. */
function textOf({ data, meta }: WorkspaceHits, colours: Colours, maxWidth: number): string {
  const records = new Map<string, WorkspaceHit[]>();
  for (const hit of data) {
    // A comment's URL is that of its issue, with a fragment.
    const key = JSON.stringify([hit.connector.id, hit.url?.split('#')[0] ?? hit.title]);
    records.set(key, [...(records.get(key) ?? []), hit]);
  }
  const texts = [...records.values()].map((hits) => recordText(hits, colours, maxWidth));
  const gaps = gapsOf(meta).map((gap) => `${colours.yellow('!')} ${wrapText(gap, maxWidth, '  ').trimStart()}\n`);
  return `${texts.join('\n') || 'No results.\n'}${gaps.length > 0 ? '\n' : ''}${gaps.join('')}`;
}

/** A record's title, and each of its hits with its passage. */
function recordText(hits: readonly WorkspaceHit[], { bold, dim, link, isTerminal }: Colours, maxWidth: number): string {
  const { title, url, entity_name } = hits[0]!;
  const lines = hits.flatMap(({ snippet, date, person, field, ...hit }) => {
    const when = date && isTerminal ? nearMoment(date, Date.now()) : date;
    const about = [hit.entity_name, hit.connector.name, person, when].filter((text) => typeof text === 'string');
    const passage = wrapText(inLine(snippet), maxWidth, '    ').replaceAll(/\*\*([^*]+)\*\*/g, (_, word) => bold(word));
    // What matched is the title, which is shown already.
    return [`  ${dim(about.map(inLine).join(' · '))}`, ...(field === 'about' && title !== null ? [] : [passage])];
  });
  return [link(bold(inLine(title ?? entity_name)), url?.split('#')[0]), ...lines, ''].join('\n');
}

/** Lines about what was not searched, and entities in one of them; the rest are counted. */
const [maxGaps, maxEntities] = [3, 4];

/** What was not searched or not completely, in a line for each connector. */
function gapsOf({ skipped, missing }: WorkspaceHits['meta']): string[] {
  const entities = new Map<string, Set<string>>();
  const gaps = [
    ...skipped.map(({ connector, entity_name }) => [connector, entity_name] as const),
    ...missing.flatMap(({ connector, entity, permanent }) => (permanent ? [] : [[connector, entity] as const])),
  ];
  for (const [{ name }, entity] of gaps) {
    const found = entities.get(name) ?? new Set();
    entities.set(name, entity === null ? found : found.add(entity));
  }
  const lines = [...entities].map(([name, found]) => {
    const some = [...found].slice(0, maxEntities).join(', ');
    const more = found.size > maxEntities ? ` and ${found.size - maxEntities} more` : '';
    return `Not searched completely: ${name}${some && ` (${some}${more})`}.`;
  });
  if (lines.length <= maxGaps) return lines;
  return [...lines.slice(0, maxGaps - 1), `And ${lines.length - maxGaps + 1} more connectors. Pass --json to see all.`];
}
