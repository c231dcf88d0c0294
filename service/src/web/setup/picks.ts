import { type ChoiceList, valuesIn } from 'agent-connectors/setup';
import * as z from 'zod';
import { type Definition, replicatedEntities } from '../../domain/connectors/definitions.js';
import { HttpError } from '../../domain/http-error.js';
import { defaultInterval } from '../../domain/replication/scheduler.js';
import { checkReplication, type ReplicationConfig } from '../api/connector-input.js';
import type { VerifiedConnection } from './draft.js';
import type { Look } from './look.js';
import { labelOf } from './pages/labels.js';
import type { Fault } from './pages/layout.js';

/** A `replication_config` field to pick or enter, in addition to entities and interval. */
export interface PickField {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly input: 'text' | 'date' | 'none';
  /** Message for an empty field; undefined if it is optional. */
  readonly required: string | undefined;
  /** The list to pick from, if the type's guide has one. */
  readonly list: ChoiceList | undefined;
  /** Whether its value is a list. */
  readonly several: boolean;
  /** Converts picked, entered or stored input to values. */
  values(given: unknown): readonly string[];
}

/** What can be selected for a type. */
export interface PickOptions {
  readonly fields: readonly PickField[];
  readonly entities: readonly { readonly name: string; readonly description: string }[];
  readonly settings: readonly { readonly name: string; readonly description: string }[];
  /** Default interval. */
  readonly interval: string;
}

/** The selection. */
export interface Selection {
  readonly config: ReplicationConfig;
  readonly settings: Readonly<Record<string, boolean>>;
}

/** Determines what can be selected for a type. */
export function pickOptions(definition: Definition): PickOptions {
  const { description, replication } = definition;
  const names = replicatedEntities({ replicationConfig: null }, definition);
  return {
    fields: fieldsOf(definition),
    entities: description.entities.filter(({ name }) => names.includes(name)),
    settings: description.settings,
    interval: defaultInterval(replication),
  };
}

/** The type's own fields, starting with those in its guide. */
function fieldsOf({ setup, configFields }: Definition): PickField[] {
  const { fields = {}, choices = {} } = setup ?? {};
  const names = [...Object.keys(fields), ...Object.keys(configFields)].filter((name) =>
    Object.hasOwn(configFields, name),
  );
  return [...new Set(names)].map((name) => {
    const list = choices[name];
    const field = fields[name] ?? {};
    const { label = list?.title ?? labelOf(name), help = descriptionOf(configFields[name]!), input = 'text' } = field;
    const several = list?.several ?? field.values !== undefined;
    const values = field.values ?? (several ? valuesIn : single);
    return { name, label, help, input, required: field.required, list, several, values };
  });
}

/** The text of `.describe()`. */
const descriptionOf = (schema: z.core.$ZodType): string => z.globalRegistry.get(schema)?.description ?? '';

/** The value of a single-value field. */
const single = (given: unknown): string[] => {
  const [value] = Array.isArray(given) ? given : [given];
  return typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number' ? [String(value)] : [];
};

function refusalFaults(error: unknown) {
  if (!(error instanceof HttpError)) throw error;
  const faults = error.errors ?? [];
  return faults.map(({ field, message }) => ({ field: field.replace(/^replication_config\./, ''), message }));
}

/** The initial selection. */
export function defaultSelection(
  { entities, interval }: PickOptions,
  { entities: trials }: VerifiedConnection,
  current: ReplicationConfig,
): Selection {
  const failing = trials.filter(({ error }) => error !== null).map(({ entity }) => entity);
  const readable = entities.map(({ name }) => name).filter((name) => !failing.includes(name));
  return { config: { entities: readable, interval, ...current }, settings: {} };
}

/** Parses the selection from a form. */
export function readSelection({ fields, entities, settings }: PickOptions, form: URLSearchParams): Selection {
  const typed = (field: string) => form.get(`${field}-typed`)?.trim() ?? '';
  const config: Record<string, unknown> = {};
  for (const { name, list, several, values } of fields) {
    const selected = form.getAll(name).filter((value) => value !== '');
    if (several) {
      const all = values([...selected, ...values(typed(name))]);
      if (all.length > 0) config[name] = all;
    } else {
      const value = typed(name) || selected[0];
      if (value !== undefined && value !== '') config[name] = list ? value : value.trim();
    }
  }
  if (entities.length > 0) config.entities = form.getAll('entities');
  const interval = form.get('interval');
  if (interval !== null) config.interval = interval;
  const chosen = form.getAll('settings');
  return { config, settings: Object.fromEntries(settings.map(({ name }) => [name, chosen.includes(name)])) };
}

/** Errors in the selection, each with its input. */
export function faultsOf({ texts }: Look, definition: Definition, { config }: Selection): Fault[] {
  const faults: Fault[] = [];
  const { entities } = config as { entities?: string[] };
  if (entities?.length === 0) faults.push({ input: 'entities', message: texts.tickOne });
  for (const { name, required, values } of fieldsOf(definition)) {
    if (required !== undefined && values(config[name]).length === 0) faults.push({ input: name, message: required });
  }
  if (faults.length > 0) return faults;
  try {
    checkReplication(definition, config);
    return [];
  } catch (error) {
    return refusalFaults(error).map(({ field, message }) => ({
      input: field.split('.')[0]!,
      message: texts.invalidPick(message),
    }));
  }
}

/** The configuration to store, without default values, so that future defaults apply to it. */
export function storedConfig({ entities, interval: usual }: PickOptions, { config }: Selection): ReplicationConfig {
  const { entities: chosen, interval, ...rest } = config as { entities?: string[]; interval?: string };
  const isAll = chosen === undefined || entities.every(({ name }) => chosen.includes(name));
  return {
    ...rest,
    ...(!isAll && { entities: chosen }),
    ...(interval !== undefined && interval !== usual && { interval }),
  };
}
