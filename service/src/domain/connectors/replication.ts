import { suggestion } from 'agent-connectors';
import * as z from 'zod';
import { fieldError } from '../http-error.js';
import { invalidError, validate } from '../validate.js';
import type { Definition } from './definitions.js';

/** What of a connector's data is kept in the context store, and how often it is renewed. */
export type ReplicationConfig = Readonly<Record<string, unknown>>;

/** Fields that every type has. */
const common = {
  interval: z
    .string()
    .regex(/^[1-9]\d{0,4}(m|h|d)$/, 'must be a duration in minutes, hours or days, such as 30m, 1h or 1d')
    .optional(),
  entities: z.array(z.string()).min(1).max(100).optional(),
};

/** Checks a replication config for a type; its faults are named below `replication_config`. */
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
