import { type Entity, recordOf } from '../manifest/manifest.js';
import { keysAt } from '../manifest/params.js';

const maxDepth = 4;

/** Dotted paths inside objects in an entity's record schema; vendors may send others too. */
export function recordPaths(entity: Pick<Entity, 'actions'>): string[] {
  const schema = recordOf(entity)?.schema;
  const below = (path: readonly string[]): string[] =>
    keysAt(schema!, path).flatMap((name) => [
      ...(path.length > 0 ? [[...path, name].join('.')] : []),
      ...(path.length < maxDepth ? below([...path, name]) : []),
    ]);
  return schema ? below([]) : [];
}
