import { suggestion } from 'agent-connectors';
import * as z from 'zod';
import { fieldError } from '../http-error.js';
import { invalidError, validate } from '../validate.js';
import type { Definition } from './definitions.js';

/** What to replicate, and how often. */
export type ReplicationConfig = Readonly<Record<string, unknown>>;

/** Fields common to all types. */
const common = {
  interval: z
    .string()
    .regex(/^[1-9]\d{0,4}(m|h|d)$/, 'must be a duration in minutes, hours or days, such as 30m, 1h or 1d')
    .optional(),
  entities: z.array(z.string()).min(1).max(100).optional(),
};

/** Validates a type's replication config; issues have paths under `replication_config`. */
export function checkReplication(
  { manifest, description, configFields }: Definition,
  given: ReplicationConfig | null,
): void {
  const schema = z.object({ replication_config: z.strictObject({ ...configFields, ...common }) });
  const { replication_config } = validate(schema, { replication_config: given ?? {} }, manifest.title);
  const { entities = [] } = replication_config as { entities?: string[] };
  const searchable = description.entities.flatMap(({ name, search }) => (search ? [name] : []));
  const unknown = entities.filter((name) => !searchable.includes(name));
  if (unknown.length === 0) return;
  throw invalidError(
    manifest.title,
    unknown.map((name) =>
      fieldError(
        'replication_config.entities',
        `has no searchable entity '${name.slice(0, 100)}'. ${suggestion(name, searchable, 'names')}`.slice(0, -1),
      ),
    ),
  );
}
