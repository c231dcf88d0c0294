import { ConnectorError, suggestion } from 'agent-connectors';
import type { PolicyRule } from '../../data/state/policy-types.js';
import { type TokenScope, tokenScopes } from '../../data/state/rows.js';
import type { Definition } from '../connectors/definitions.js';

/** Refuses what needs a scope that the token does not have. */
export function requireTokenScope(granted: readonly TokenScope[], needed: TokenScope): void {
  if (granted.includes(needed)) return;
  throw new ConnectorError(
    'forbidden',
    `The scope '${needed}' is missing; this token has ${granted.join(', ') || 'none'}.`,
    {
      hint: `Request a token with "scopes" that include ${needed}. A client gets its scopes from create-client --scopes.`,
    },
  );
}

/** The scope that an action needs; planning a write needs what the write needs. */
export const scopeOfEffect = (effect: string | null | undefined): TokenScope =>
  effect === 'write' || effect === 'destroy' ? 'write' : 'read';

/** The requested scopes, all of which the requester must have. */
export function narrowScopes(own: readonly TokenScope[], requested: readonly TokenScope[]): TokenScope[] {
  for (const scope of requested) requireTokenScope(own, scope);
  return tokenScopes.filter((scope) => requested.includes(scope));
}

/** What a token for one workspace gets unless its request says otherwise. */
export function defaultScopes(own: readonly TokenScope[]): TokenScope[] {
  const scopes = own.filter((scope) => scope === 'read' || scope === 'write');
  if (scopes.length === 0) requireTokenScope(own, 'read');
  return scopes;
}

interface Pattern {
  /** Null for every type. */
  readonly type: string | null;
  readonly entity: string;
  readonly action: string;
}

const patternForm = /^(?:([a-z][a-z\d-]*):)?([\w*]+)\.([\w*]+)$/;

function patternOf(text: string): Pattern | undefined {
  const [, type, entity, action] = patternForm.exec(text) ?? [];
  return entity === undefined || action === undefined ? undefined : { type: type ?? null, entity, action };
}

const matchesName = (pattern: string, name: string): boolean => pattern === '*' || pattern === name;

/** Says what is wrong with a pattern for connectors of these types; one that names nothing would silently deny. */
export function patternFault(text: string, definitions: readonly Definition[]): string | undefined {
  const pattern = patternOf(text);
  if (!pattern) return 'must be of the form entity.action or type:entity.action, with * for any';
  const { type, entity, action } = pattern;
  const types = definitions.map(({ manifest }) => manifest.name);
  if (type !== null && !types.includes(type)) return `names no type. ${suggestion(type, types, 'types')}`;
  const entities = definitions
    .filter(({ manifest }) => type === null || manifest.name === type)
    .flatMap(({ manifest }) => Object.entries(manifest.entities));
  const matchingEntities = entities.filter(([name]) => matchesName(entity, name));
  const entityNames = [...new Set(entities.map(([name]) => name))];
  if (matchingEntities.length === 0) return `names no entity. ${suggestion(entity, entityNames, 'entities')}`;
  const actions = [...new Set(matchingEntities.flatMap(([, { actions: own }]) => Object.keys(own)))];
  if (actions.some((name) => matchesName(action, name))) return undefined;
  return `names no action. ${suggestion(action, actions, 'actions')}`;
}

/** Why rules deny an action; nothing where all of them let it be done. What the type does not know is denied as well. */
export function denialOf(
  rules: readonly PolicyRule[],
  definition: Definition,
  entity: string,
  action: string,
): ConnectorError | undefined {
  for (const { readOnly, allow } of rules) {
    if (readOnly && definition.action(entity, action)?.effect !== 'read') {
      return new ConnectorError(
        'denied_by_policy',
        `${entity}.${action} changes data, and a policy of this workspace or connector lets data only be read.`,
      );
    }
    if (allow && !allow.some((text) => allows(text, definition.manifest.name, entity, action))) {
      return new ConnectorError(
        'denied_by_policy',
        `${entity}.${action} is not among what a policy of this workspace or connector allows (${allow.slice(0, 20).join(', ') || 'nothing'}).`,
      );
    }
  }
  return undefined;
}

function allows(text: string, type: string, entity: string, action: string): boolean {
  const pattern = patternOf(text);
  if (!pattern) return false;
  return (
    (pattern.type === null || pattern.type === type) &&
    matchesName(pattern.entity, entity) &&
    matchesName(pattern.action, action)
  );
}
