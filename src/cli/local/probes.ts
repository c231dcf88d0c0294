import type { ActionDescription, EntityDescription } from '../../manifest/describe.js';
import type { ParameterValue } from '../../setup/probe.js';
import type { SetupGuide } from '../../setup/types.js';

/** What is known by the time that a read is tried: ids that earlier reads brought, and what the user gave. */
export interface Known {
  /** What the connector says of its reads. */
  readonly guide: Pick<SetupGuide, 'probe' | 'doctor'>;
  readonly given: Readonly<Record<string, unknown>>;
  /** First records of entities that have been read. */
  readonly records: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly now: number;
}

/** A cheap read of one entity, or why there is none. */
export type Probe =
  | { readonly action: string; readonly params: Readonly<Record<string, unknown>> }
  | { readonly lacks: string };

/** Usual names of a page size, which makes a read cheaper. */
const sizes: Readonly<Record<string, unknown>> = { first: 1, pageSize: 1, page_size: 1, limit: 1 };

/** Chooses the cheapest read of an entity that the parameters at hand allow. */
export function probeOf({ name, actions }: EntityDescription, known: Known): Probe {
  const { entity, action, params = {} } = known.guide.probe ?? {};
  if (entity === name && action !== undefined && typeof params !== 'function') return { action, params };
  const reads = actions.filter(({ effect, binary, hosted_only }) => effect === 'read' && !binary && !hosted_only);
  if (reads.length === 0) {
    return { lacks: actions.some(({ binary }) => binary) ? 'it has downloads alone' : 'it has writes alone' };
  }
  const tried = reads.map((read) => paramsOf(name, read, known));
  const ready = tried.find((probe) => 'params' in probe);
  return ready ?? tried[0]!;
}

function paramsOf(entity: string, { name, params: schema }: ActionDescription, known: Known): Probe {
  const { properties = {}, required = [] } = schema as { properties?: object; required?: string[] };
  const { parameters = {}, optional = {} } = known.guide.doctor ?? {};
  const constants = { ...sizes, ...optional };
  const own = Object.keys(parameters).flatMap((key) =>
    key.startsWith(`${entity}.`) ? [key.slice(entity.length + 1)] : [],
  );
  const params: Record<string, unknown> = {};
  for (const parameter of [...required, ...[...own, ...Object.keys(constants)].filter((each) => each in properties)]) {
    const source = parameters[`${entity}.${parameter}`] ?? parameters[parameter];
    const value = source ? valueFrom(source, known) : constants[parameter];
    if (value === undefined) return { lacks: lack(parameter, source) };
    params[parameter] = value;
  }
  return { action: name, params };
}

function valueFrom(source: ParameterValue, { given, records, now }: Known): unknown {
  if (typeof source === 'function') return source(now);
  return ('argument' in source ? given[source.argument] : records.get(source.entity)?.[source.field]) ?? undefined;
}

const lack = (parameter: string, source: ParameterValue | undefined): string =>
  source && 'argument' in source
    ? `it needs a ${parameter}: pass it in the argument${source.argument === parameter ? '' : ` as ${source.argument}`}, or set ${source.variable}`
    : `there is no record yet that would give its ${parameter}`;

/** Parameters that users give themselves. */
const sourcesOfUser = ({ doctor }: Known['guide']) =>
  Object.values(doctor?.parameters ?? {}).flatMap((source) => ('argument' in source ? [source] : []));

/** Keys of the JSON argument in which users give parameters of a connector's reads. */
export const givenKeys = (guide: Known['guide']): string[] => sourcesOfUser(guide).map(({ argument }) => argument);

/** Parameters that users give themselves, from the argument or the environment. */
export const givenBy = (
  guide: Known['guide'],
  argument: Readonly<Record<string, any>>,
  env: Readonly<Record<string, string | undefined>>,
): Known['given'] =>
  Object.fromEntries(
    sourcesOfUser(guide).map(({ argument: key, variable }) => [
      key,
      argument[key] ?? (env[variable]?.trim() || undefined),
    ]),
  );
