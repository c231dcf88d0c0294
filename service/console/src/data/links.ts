/** Links of a record to others: those of its fields, and those that the data of two records prove. */
import type { ConnectorDescription, ConnectorOverview, EntityDescription, WorkspaceHits } from 'agent-connectors/wire';
import { api, connectorPath } from './api.js';
import { searchRecords } from './execute.js';
import { filterOf, keyOf, type LinkKind, namesOf, type Place, proofOf, uniqueLength, valuesAt } from './proof.js';
import { type Fields, keyField, labelOf, pageOf, textOf } from './record.js';

const maxLinks = 20;

/** A record that another one is linked to. */
export interface RecordLink {
  readonly kind: LinkKind;
  /** The field that contains the id. */
  readonly field?: string;
  readonly connector: ConnectorOverview;
  readonly entity: string;
  readonly record: Fields;
}

const descriptions = new Map<string, Promise<ConnectorDescription>>();

/** A connector's description, which stays the same while the console is open. */
function describe(id: string): Promise<ConnectorDescription> {
  const known = descriptions.get(id) ?? api<ConnectorDescription>(connectorPath(id, '/describe'));
  descriptions.set(id, known);
  known.catch(() => descriptions.delete(id));
  return known;
}

async function replicated(connector: ConnectorOverview): Promise<EntityDescription[]> {
  const ready = connector.entities
    .filter(({ ready_for_search, entity_count }) => ready_for_search && Number(entity_count) > 0)
    .map(({ entity }) => entity);
  return (await describe(connector.id)).entities.filter(({ name, search }) => search !== null && ready.includes(name));
}

/** The records that the fields of a record identify, each once. */
async function relatedTo({ connector, entity, record }: Place): Promise<RecordLink[]> {
  const entities = await replicated(connector);
  const found = new Map<string, RecordLink>();
  const untitled = new Map<string, Set<string>>();
  for (const { path, entity: name, field } of entity.relations) {
    const target = entities.find((one) => one.name === name);
    if (!target || keyOf(target) !== field) continue;
    for (const [value, parent] of valuesAt(record, path.split('.')).slice(0, maxLinks)) {
      const id = textOf(value);
      if (id === undefined || (name === entity.name && id === record[field])) continue;
      const title = path.endsWith(`.${field}`) || path.endsWith('.userId') ? labelOf(parent) : undefined;
      const known = found.get(`${name} ${id}`);
      if (known && (title === undefined || labelOf(known.record) !== undefined)) continue;
      const label = path
        .replace(/\.?(id|Id)s?$/, '')
        .split('.')
        .at(-1)!;
      found.set(`${name} ${id}`, {
        kind: 'field',
        field: known?.field ?? label,
        connector,
        entity: name,
        record: { [field]: id, ...(title !== undefined && { title }) },
      });
    }
  }
  for (const { entity: name, record: target } of found.values()) {
    if (labelOf(target) !== undefined) continue;
    untitled.set(name, (untitled.get(name) ?? new Set()).add(String(Object.values(target)[0])));
  }
  await Promise.all(
    [...untitled].map(async ([name, ids]) => {
      const field = keyOf(entities.find((one) => one.name === name)!)!;
      const query = { filter: { in: { [field]: [...ids] } } };
      const { data } = await searchRecords(connector.id, name, { query, limit: ids.size });
      for (const target of data as readonly Fields[]) {
        const key = `${name} ${target[field]}`;
        const link = found.get(key);
        if (link) found.set(key, { ...link, record: target });
      }
    }),
  );
  return [...found.values()];
}

/** The replicated record that a parameter of a write names by id, such as the issue of a comment. */
export async function namedRecord(
  connector: ConnectorOverview,
  entityName: string,
  param: string,
  value: unknown,
): Promise<RecordLink | undefined> {
  const id = textOf(value);
  const entities = await replicated(connector);
  const relations = entities.find(({ name }) => name === entityName)?.relations ?? [];
  const relation = relations.find(({ path }) => path === param || path === param.replace(/Id$/, '.id'));
  const target = entities.find(({ name }) => name === relation?.entity);
  if (id === undefined || !relation || !target || keyOf(target) !== relation.field) return undefined;
  const query = { filter: { eq: { [relation.field]: id } } };
  const { data } = await searchRecords(connector.id, target.name, { query, limit: 1 });
  const [record] = data as readonly Fields[];
  return record && { kind: 'field', connector, entity: target.name, record };
}

/** The records of a connector whose link to a record is proven by more than an id in a field. */
async function provenLinks(place: Place, connector: ConnectorOverview): Promise<RecordLink[]> {
  const links = (await replicated(connector)).map(async (entity): Promise<RecordLink[]> => {
    const filter = filterOf(place, entity);
    if (filter === undefined) return [];
    const { data } = await searchRecords(connector.id, entity.name, { query: { filter }, limit: maxLinks });
    return (data as readonly Fields[]).flatMap((record) => linkTo(place, { connector, entity, record }) ?? []);
  });
  return (await Promise.all(links)).flat();
}

/** The link from a record to another, if their data prove it. */
function linkTo(place: Place, other: Place): RecordLink | undefined {
  const isOwn = other.connector.id === place.connector.id;
  const isSame = isOwn && other.entity.name === place.entity.name && namesOf(other)[0] === namesOf(place)[0];
  const kind = isSame ? undefined : proofOf(place, other);
  if (kind === undefined || (isOwn && (kind === 'event' || kind === 'person'))) return undefined;
  return { kind, connector: other.connector, entity: other.entity.name, record: other.record };
}

/** Records whose long texts, such as a document or a transcript, mention a record. */
async function mentioningTexts(place: Place, connectors: readonly ConnectorOverview[]): Promise<RecordLink[]> {
  const { identifier } = place.record;
  const prompt = textOf(identifier) ?? namesOf(place)[0];
  if (prompt === undefined || (pageOf(place.record) === undefined && prompt.length < uniqueLength)) return [];
  const path = `/api/v1/workspaces/${encodeURIComponent(place.connector.workspace_name)}/search`;
  const json = {
    prompt,
    limit: maxLinks,
    mode: 'lexical',
    context_size: 2048,
    connector_ids: connectors.map(({ id }) => id),
  };
  const { data } = await api<WorkspaceHits>(path, { method: 'POST', json });
  const links = data.map(async (hit) => {
    const connector = connectors.find(({ id }) => id === hit.connector.id)!;
    const entity = (await replicated(connector)).find(({ name }) => name === hit.entity_name);
    const context = hit.metadata.context.replaceAll('**', '');
    const titled = hit.title === null ? {} : { title: hit.title };
    return entity && linkTo(place, { connector, entity, record: { ...hit.entity, ...titled, context } });
  });
  return (await Promise.all(links)).filter((link) => link !== undefined);
}

/** Links of a record, and the errors of searches that failed, each message once. */
interface Links {
  readonly found: readonly RecordLink[];
  readonly errors: readonly Error[];
}

/** The records that a record is proven to be linked to, each once, those of its own fields first. */
export async function linksOf(place: Place, connectors: readonly ConnectorOverview[]): Promise<Links> {
  const searches = [
    relatedTo(place),
    ...connectors.map((connector) => provenLinks(place, connector)),
    mentioningTexts(place, connectors),
  ];
  const results = await Promise.allSettled(searches);
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as Error] : []));
  const found = new Map<string, RecordLink>();
  for (const link of results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))) {
    const key = keyField(Object.keys(link.record).sort()) ?? 'id';
    const name = `${link.connector.id} ${link.entity} ${link.record[key]}`;
    if (!found.has(name)) found.set(name, link);
  }
  return { found: [...found.values()], errors: [...new Map(errors.map((error) => [error.message, error])).values()] };
}
