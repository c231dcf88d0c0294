import { suggestion } from 'agent-connectors';
import * as z from 'zod';
import type { Definition, Definitions } from '../../domain/connectors/definitions.js';
import { fieldError } from '../../domain/http-error.js';
import { invalidError, validate } from './input.js';

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

interface TypeNames {
  readonly connector_type?: string | undefined;
  readonly definition_id?: string | undefined;
}

/** Resolves a type given by name or definition id; rejects unknown ones. */
export function resolveType(
  { connector_type, definition_id }: TypeNames,
  definitions: Definitions,
): string | undefined {
  if (definition_id !== undefined) {
    const type = definitions.resolveDefinitionId(definition_id);
    if (type === undefined)
      throw invalidError('The request', [fieldError('definition_id', 'is not the id of a connector type')]);
    return type;
  }
  if (connector_type === undefined) return undefined;
  const type = definitions.resolveName(connector_type);
  if (type !== undefined) return type;
  const message = `is not a connector type. ${suggestion(connector_type, definitions.names, 'names')}`.slice(0, -1);
  throw invalidError('The request', [fieldError('connector_type', message)]);
}

/** Rejects unknown settings and values that are not booleans. */
export function checkSettings({ manifest }: Definition, settings: Readonly<Record<string, unknown>>): void {
  const known = Object.keys(manifest.settings ?? {});
  const faults = Object.entries(settings).flatMap(([name, value]) => {
    const field = `settings.${name.slice(0, 100)}`;
    if (known.includes(name)) return typeof value === 'boolean' ? [] : [fieldError(field, 'must be a boolean')];
    const message = `is an unknown setting. Known settings: ${known.join(', ') || 'none'}`;
    return [fieldError(field, message, 'unknown_field')];
  });
  if (faults.length > 0) throw invalidError(manifest.title, faults.slice(0, 20));
}
