import { suggestion } from 'agent-connectors';
import type { Definition } from './definitions.js';

/** A pattern of a policy: `entity.action` or `type:entity.action`, with `*` as a wildcard. */
interface Pattern {
  /** Null matches every type. */
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

/** Describes what is wrong with a pattern. A pattern that matches nothing would silently deny everything. */
export function patternFault(text: string, definitions: readonly Definition[]): string | undefined {
  const pattern = patternOf(text);
  if (!pattern) return 'must be entity.action or type:entity.action, with * as a wildcard';
  const { type, entity, action } = pattern;
  const types = definitions.map(({ manifest }) => manifest.name);
  if (type !== null && !types.includes(type)) return `matches no type. ${suggestion(type, types, 'types')}`;
  const entities = definitions
    .filter(({ manifest }) => type === null || manifest.name === type)
    .flatMap(({ manifest }) => Object.entries(manifest.entities));
  const matchingEntities = entities.filter(([name]) => matchesName(entity, name));
  const entityNames = [...new Set(entities.map(([name]) => name))];
  if (matchingEntities.length === 0) return `matches no entity. ${suggestion(entity, entityNames, 'entities')}`;
  const actions = [...new Set(matchingEntities.flatMap(([, { actions: own }]) => Object.keys(own)))];
  if (actions.some((name) => matchesName(action, name))) return undefined;
  return `matches no action. ${suggestion(action, actions, 'actions')}`;
}

/** Describes what is wrong with an approval pattern. */
export function approvalFault(text: string, definitions: readonly Definition[]): string | undefined {
  const fault = patternFault(text, definitions);
  if (fault !== undefined) return fault;
  const changesData = definitions.some((definition) =>
    Object.entries(definition.manifest.entities).some(([entity, { actions }]) =>
      Object.keys(actions).some(
        (action) =>
          definition.action(entity, action)?.effect !== 'read' &&
          matchesPattern(text, definition.manifest.name, entity, action),
      ),
    ),
  );
  return changesData ? undefined : 'matches no write';
}

/** Whether an action matches a pattern. */
export function matchesPattern(text: string, type: string, entity: string, action: string): boolean {
  const pattern = patternOf(text);
  if (!pattern) return false;
  return (
    (pattern.type === null || pattern.type === type) &&
    matchesName(pattern.entity, entity) &&
    matchesName(pattern.action, action)
  );
}
