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

/** Hits as paragraphs, best first, followed by what was not searched. */
function textOf({ data, meta }: WorkspaceHits, colours: Colours, maxWidth: number): string {
  const hits = data.map((hit) => hitText(hit, colours, maxWidth));
  const gaps = gapsOf(meta).map((gap) => `${colours.yellow('!')} ${wrapText(gap, maxWidth, '  ').trimStart()}\n`);
  return `${hits.join('\n') || 'No results.\n'}${gaps.length > 0 ? '\n' : ''}${gaps.join('')}`;
}

function hitText(hit: WorkspaceHit, { bold, dim, link, isTerminal }: Colours, maxWidth: number): string {
  const { title, snippet, url, date, person, entity_name, connector } = hit;
  const passage = inLine(snippet);
  const about = [
    entity_name,
    connector.name,
    person ?? '',
    date && isTerminal ? nearMoment(date, Date.now()) : (date ?? ''),
  ];
  const lines = [dim(about.filter(Boolean).map(inLine).join(' · '))];
  const plain = passage.replaceAll('**', '');
  if (title === null || !title.startsWith(plain.replace(/…$/, '')))
    lines.push(
      wrapText(passage, maxWidth, '  ')
        .trimStart()
        .replaceAll(/\*\*([^*]+)\*\*/g, (_, word) => bold(word)),
    );
  return `${link(bold(inLine(title ?? hit.entity.identifier?.toString() ?? entity_name)), url ?? undefined)}\n  ${lines.join('\n  ')}\n`;
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
