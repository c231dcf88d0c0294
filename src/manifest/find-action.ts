import { ConnectorError } from '../call/errors.js';
import { quoted, suggestion } from '../call/nearest.js';
import type { Action } from './action.js';
import type { Manifest } from './manifest.js';

/** A property the object itself has: names may come from a model or an address. */
const ownProperty = <T extends object, K extends keyof T>(object: T, key: K): T[K] | undefined =>
  typeof key === 'string' && Object.hasOwn(object, key) ? object[key] : undefined;

/** The action that a call names; one that is not there is refused with the nearest. */
export function findAction({ title, entities }: Manifest, entity: string, action: string): Action {
  const known = ownProperty(entities, entity);
  if (!known) {
    const valid = suggestion(entity, Object.keys(entities), 'entities');
    throw new ConnectorError('unknown_entity', `${title} has no entity ${quoted(entity)}. ${valid}`);
  }
  const spec = ownProperty(known.actions, action);
  if (spec) return spec;
  const valid = suggestion(action, Object.keys(known.actions), 'actions');
  throw new ConnectorError('unknown_action', `${title}'s ${entity} have no action ${quoted(action)}. ${valid}`);
}
