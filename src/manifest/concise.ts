import type { Action } from '../action/action.js';
import type { Entity } from './manifest.js';

/** Dotted paths of the main fields of an action's data; undefined for all fields. */
export function conciseOf(entity: Entity, { concise, returns, hostedOnly }: Action): readonly string[] | undefined {
  if (concise) return concise;
  if (hostedOnly) return conciseOfSearch(entity);
  const { kind, key, record } = returns;
  const { concise: fields, more = [] } = record?.view ?? {};
  if (!fields || kind === 'records') return fields;
  if (kind === 'saved') return ['success', ...fields.map((path) => `${key}.${path}`)];
  return [...fields, ...more];
}

/** The main fields of the entity's list that a replica also has; undefined if its records differ too much. */
function conciseOfSearch(entity: Entity): readonly string[] | undefined {
  const { search, actions } = entity;
  const listed = actions.list && conciseOf(entity, actions.list);
  const known = new Set(Object.values(search?.fields ?? {}).flat());
  const kept = listed?.filter((path) => known.has(path.split('.')[0]!));
  return kept && kept.length * 2 > listed!.length ? kept : undefined;
}
