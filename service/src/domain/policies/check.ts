import { ConnectorError, suggestion } from 'agent-connectors';
import type { ApprovalBy, PolicyRule } from '../../data/state/policy-types.js';
import type { Definition } from '../connectors/definitions.js';

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

/** Says what is wrong with a pattern of writes that need approval. */
export function approvalFault(text: string, definitions: readonly Definition[]): string | undefined {
  const fault = patternFault(text, definitions);
  if (fault !== undefined) return fault;
  const changesData = definitions.some((definition) =>
    Object.entries(definition.manifest.entities).some(([entity, { actions }]) =>
      Object.keys(actions).some(
        (action) =>
          definition.action(entity, action)?.effect !== 'read' &&
          matches(text, definition.manifest.name, entity, action),
      ),
    ),
  );
  return changesData ? undefined : 'names no action that changes data';
}

/** Who has to approve an action before it is carried out; nothing where nobody has to. Reads need no approval. */
export function approvalOf(
  rules: readonly PolicyRule[],
  definition: Definition,
  entity: string,
  action: string,
): ApprovalBy | undefined {
  if (definition.action(entity, action)?.effect === 'read') return undefined;
  const asking = rules.filter(({ approval }) =>
    approval?.some((text) => matches(text, definition.manifest.name, entity, action)),
  );
  if (asking.length === 0) return undefined;
  return asking.some(({ approvalBy }) => approvalBy === 'other') ? 'other' : 'any';
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
    if (allow && !allow.some((text) => matches(text, definition.manifest.name, entity, action))) {
      return new ConnectorError(
        'denied_by_policy',
        `${entity}.${action} is not among what a policy of this workspace or connector allows (${allow.slice(0, 20).join(', ') || 'nothing'}).`,
      );
    }
  }
  return undefined;
}

function matches(text: string, type: string, entity: string, action: string): boolean {
  const pattern = patternOf(text);
  if (!pattern) return false;
  return (
    (pattern.type === null || pattern.type === type) &&
    matchesName(pattern.entity, entity) &&
    matchesName(pattern.action, action)
  );
}
