import type { Effect } from '../action/action.js';
import { ConnectorError } from '../errors/connector-error.js';
import { suggestion } from '../errors/nearest.js';
import type { Manifest } from '../manifest/manifest.js';

/** What a connector is allowed to do. */
export interface Policy {
  /** Throws `denied_by_policy` unless this is allowed. */
  readonly check: (entity: string, action: string, effect: Effect) => void;
}

/** Builds a connector's policy. A pattern that matches nothing is an error because it would silently deny actions. */
export function policyOf(
  { title, entities }: Manifest,
  readOnly: boolean,
  allow: readonly string[] | undefined,
): Policy {
  const patterns = allow?.map((pattern) => {
    const [entity = '', action = '', ...rest] = pattern.split('.');
    const names = Object.keys(entities);
    if (rest.length > 0 || action === '') {
      throw new ConnectorError(
        'invalid_params',
        `allow: '${pattern}' must be <entity>.<action>, with * as a wildcard.`,
      );
    }
    if (entity !== '*' && !names.includes(entity)) {
      throw new ConnectorError(
        'invalid_params',
        `allow: ${title} has no entity '${entity}'. ${suggestion(entity, names, 'entities')}`,
      );
    }
    const actions = [
      ...new Set((entity === '*' ? names : [entity]).flatMap((name) => Object.keys(entities[name]!.actions))),
    ];
    if (action !== '*' && !actions.includes(action)) {
      throw new ConnectorError(
        'invalid_params',
        `allow: '${pattern}' matches no action. ${suggestion(action, actions, 'actions')}`,
      );
    }
    return [entity, action] as const;
  });
  const matches = (pattern: string, name: string) => pattern === '*' || pattern === name;

  return {
    check(entity, action, effect) {
      if (readOnly && effect !== 'read') {
        throw new ConnectorError(
          'denied_by_policy',
          `${entity}.${action} changes data, and this connector is read-only.`,
        );
      }
      if (patterns && !patterns.some(([e, a]) => matches(e, entity) && matches(a, action))) {
        throw new ConnectorError(
          'denied_by_policy',
          `${entity}.${action} is not in this connector's allow list (${allow?.join(', ') || 'empty'}).`,
        );
      }
    },
  };
}
