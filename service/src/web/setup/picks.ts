import { propertiesIn } from 'agent-connectors/replication';
import type { ChoiceList } from 'agent-connectors/setup';
import type { Definition } from '../../domain/connectors/definitions.js';
import { checkReplication, type ReplicationConfig } from '../../domain/connectors/replication.js';
import { Refusal } from '../../domain/refusal.js';
import { replicatedEntities } from '../../domain/replication/plan.js';
import type { Connected } from './draft.js';
import type { Fault } from './pages/layout.js';

/** Fields of `replication_config` that a person picks or types, besides the entities and the interval. */
const candidates = ['property_ids', 'folder_url', 'shared_with_me', 'start_date'] as const;

/** What there is to pick for one type. */
export interface Picks {
  readonly fields: readonly (typeof candidates)[number][];
  /** Lists of the type's guide, by field. */
  readonly lists: Readonly<Record<string, ChoiceList>>;
  readonly entities: readonly { readonly name: string; readonly description: string }[];
  readonly settings: readonly { readonly name: string; readonly description: string }[];
}

/** What was picked. */
export interface Picked {
  readonly config: ReplicationConfig;
  readonly settings: Readonly<Record<string, boolean>>;
}

/** How often the records are renewed, with how it is said. */
export const intervals: Readonly<Record<string, string>> = {
  '15m': 'Every 15 minutes',
  '1h': 'Every hour',
  '6h': 'Every 6 hours',
  '1d': 'Once a day',
};
const usualInterval = '1h';

/** Finds what there is to pick for a type. */
export async function picksOf(definition: Definition): Promise<Picks> {
  const { manifest, description } = definition;
  const replication = await definition.replication();
  const names = replication ? replicatedEntities({ replicationConfig: null }, definition, replication) : [];
  return {
    fields: candidates.filter((field) => !unknownFields(definition).includes(field)),
    lists: (await manifest.setup?.())?.setup.choices ?? {},
    entities: description.entities.filter(({ name }) => names.includes(name)),
    settings: description.settings,
  };
}

/** Candidates that the type's configuration does not have. */
function unknownFields(definition: Definition): string[] {
  try {
    checkReplication(definition, Object.fromEntries(candidates.map((field) => [field, null])));
    return [];
  } catch (error) {
    return faultsIn(error, 'unknown_field').map(({ field }) => field);
  }
}

function faultsIn(error: unknown, code?: string) {
  if (!(error instanceof Refusal)) throw error;
  const faults = (error.errors ?? []).filter(({ error_code }) => code === undefined || error_code === code);
  return faults.map(({ field, message }) => ({ field: field.replace(/^replication_config\./, ''), message }));
}

/** The picks as they stand before anyone has changed them. */
export function usualPicks({ entities }: Picks, { entities: trials }: Connected, current: ReplicationConfig): Picked {
  const failing = trials.filter(({ error }) => error !== null).map(({ entity }) => entity);
  const readable = entities.map(({ name }) => name).filter((name) => !failing.includes(name));
  return { config: { entities: readable, interval: usualInterval, ...current }, settings: {} };
}

/** Reads what was picked in a form. */
export function readPicks({ fields, lists, entities, settings }: Picks, form: URLSearchParams): Picked {
  const typed = (field: string) => form.get(`${field}-typed`)?.trim() ?? '';
  const config: Record<string, unknown> = {};
  for (const field of fields) {
    const picked = form.getAll(field).filter((value) => value !== '');
    if (field === 'property_ids') config[field] = propertiesIn([...picked, ...propertiesIn(typed(field))]);
    else {
      const value = typed(field) || picked[0];
      if (value !== undefined && value !== '') config[field] = lists[field] ? value : value.trim();
    }
  }
  if (entities.length > 0) config.entities = form.getAll('entities');
  const interval = form.get('interval');
  if (interval !== null) config.interval = interval;
  const chosen = form.getAll('settings');
  return { config, settings: Object.fromEntries(settings.map(({ name }) => [name, chosen.includes(name)])) };
}

/** What is wrong with what was picked, each at its input. */
export function faultsOf(definition: Definition, { config }: Picked): Fault[] {
  const faults: Fault[] = [];
  const { entities, property_ids: properties } = config as { entities?: string[]; property_ids?: string[] };
  if (entities?.length === 0) faults.push({ input: 'entities', message: 'Tick at least one kind of record.' });
  if (properties?.length === 0) faults.push({ input: 'property_ids', message: 'Tick or type at least one property.' });
  if (faults.length > 0) return faults;
  try {
    checkReplication(definition, config);
    return [];
  } catch (error) {
    return faultsIn(error).map(({ field, message }) => ({
      input: field.split('.')[0]!,
      message: `What you gave here ${message}.`,
    }));
  }
}

/** The configuration to store: what says nothing beyond the usual is left out, so that it can grow. */
export function toStore({ entities }: Picks, { config }: Picked): ReplicationConfig {
  const { entities: chosen, interval, ...rest } = config as { entities?: string[]; interval?: string };
  const isAll = chosen === undefined || entities.every(({ name }) => chosen.includes(name));
  return {
    ...rest,
    ...(!isAll && { entities: chosen }),
    ...(interval !== undefined && interval !== usualInterval && { interval }),
  };
}
