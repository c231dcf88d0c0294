import { suggestion } from 'agent-connectors';
import { propertiesIn } from 'agent-connectors/replication';
import * as z from 'zod';
import { fieldError } from '../refusal.js';
import { invalid, validated } from '../validate.js';
import type { Definition } from './definitions.js';

/** What of a connector's data is kept in the context store, and how often it is renewed. */
export type ReplicationConfig = Readonly<Record<string, unknown>>;

const propertyId = /^(?:properties\/)?\d{1,20}$/;

const properties = z
  .union([z.string(), z.array(z.string())], { error: 'must be a list of property ids: text, or an array of strings' })
  .refine(
    (given) => propertiesIn(given).length > 0 && propertiesIn(given).every((id) => propertyId.test(id)),
    'must hold at least one property id, and nothing but digits in each',
  );
const startDate = z.iso.date('must be a date that exists, as YYYY-MM-DD').optional();

const common = {
  interval: z
    .string()
    .regex(/^[1-9]\d{0,4}(m|h|d)$/, 'must be a number of minutes, hours or days, such as 30m, 1h or 1d')
    .optional(),
  entities: z.array(z.string()).min(1).max(100).optional(),
};

/** What types have beyond that. */
const own: Readonly<Record<string, z.core.$ZodObject>> = {
  'google-analytics': z.strictObject({ property_ids: properties, start_date: startDate, ...common }),
  'google-drive': z.strictObject({
    folder_url: z.string().trim().min(1).max(2000).optional(),
    shared_with_me: z.union([z.boolean(), z.enum(['true', 'false'])], { error: 'must be true or false' }).optional(),
    ...common,
  }),
  gong: z.strictObject({ start_date: startDate, ...common }),
};
const others = z.strictObject(common);

/** Checks a replication config for a type; its faults are named below `replication_config`. */
export function checkReplication({ manifest, description }: Definition, given: ReplicationConfig | null): void {
  const schema = z.object({ replication_config: own[manifest.name] ?? others });
  const { replication_config } = validated(schema, { replication_config: given ?? {} }, manifest.title);
  const { entities = [] } = replication_config as { entities?: string[] };
  const searchable = description.entities.flatMap(({ name, search }) => (search ? [name] : []));
  const unknown = entities.filter((name) => !searchable.includes(name));
  if (unknown.length === 0) return;
  throw invalid(
    manifest.title,
    unknown.map((name) =>
      fieldError(
        'replication_config.entities',
        `has no searchable entity '${name.slice(0, 100)}'. ${suggestion(name, searchable, 'names')}`.slice(0, -1),
      ),
    ),
  );
}
