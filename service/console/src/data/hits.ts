import type { WorkspaceHit } from 'agent-connectors/wire';
import { type Fields, isId, keyField, prose, recordPath, textOf } from './record.js';

/** Hits of one record: those of the record itself, and those of its parts, such as comments. */
export interface HitGroup {
  /** The record's own hit; missing if only parts of it match. */
  readonly main: WorkspaceHit | undefined;
  readonly parts: readonly WorkspaceHit[];
}

/** The id of a hit's record. */
export const idOf = ({ entity }: WorkspaceHit): unknown => entity[keyField(Object.keys(entity).sort()) ?? 'id'];

/** Names a hit's record among all hits. */
export const nameOf = (hit: WorkspaceHit): string => JSON.stringify([hit.connector.id, hit.entity_name, idOf(hit)]);

/** The page that contains a hit's record; a comment's URL ends with a fragment. */
const pageOf = ({ url }: WorkspaceHit): string | undefined => url?.split('#')[0];

/** Groups hits by record, in the order of each group's best hit: parts have the page or the title and id of a record. */
export function groupHits(hits: readonly WorkspaceHit[]): HitGroup[] {
  const keyOf = (hit: WorkspaceHit): string => {
    const whole = hits.find((other) => isPartOf(hit, other)) ?? hit;
    return pageOf(whole) ?? nameOf(whole);
  };
  const groups = new Map<string, WorkspaceHit[]>();
  for (const hit of hits) {
    const key = JSON.stringify([hit.connector.id, keyOf(hit)]);
    groups.set(key, [...(groups.get(key) ?? []), hit]);
  }
  return [...groups.values()].map((all) => {
    const main = all.find((hit) => !hit.url?.includes('#') && !all.some((other) => isPartOf(hit, other)));
    return { main, parts: all.filter((hit) => hit !== main) };
  });
}

/** Whether a hit has the title of another record, and its id in a field. */
const isPartOf = (hit: WorkspaceHit, other: WorkspaceHit): boolean =>
  hit.title !== null &&
  hit.title === other.title &&
  hit.connector.id === other.connector.id &&
  hit.entity_name !== other.entity_name &&
  Object.entries(hit.entity).some(([name, value]) => isId(name) && name !== 'id' && value === idOf(other));

/** The path of the record that a group is about: a part has the id of its record in a field, such as `issueId`. */
export function pathOf({ main, parts }: HitGroup, entities: readonly string[]): string | undefined {
  const { connector, entity, entity_name } = (main ?? parts[0])!;
  const own = recordPath(connector.id, entity_name, entity);
  if (main) return own;
  for (const [name, value] of Object.entries(entity)) {
    const parent = `${name.replace(/(_id|Id)$/, '')}s`;
    if (isId(name) && entities.includes(parent)) return recordPath(connector.id, parent, { id: value });
  }
  return own;
}

/** A record's text, such as a comment's. */
export const proseOf = (record: Fields | undefined): string | undefined =>
  record && prose.map((name) => textOf(record[name])).find(Boolean);
