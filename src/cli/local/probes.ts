import type { ActionDescription, EntityDescription } from '../../manifest/describe.js';
import type { ParameterValue, SetupGuide } from '../../manifest/setup.js';

/** Input for choosing a read: ids from earlier reads, and the user's parameters. */
export interface ProbeContext {
  /** The connector's information about its reads. */
  readonly guide: Pick<SetupGuide, 'probe' | 'doctor'>;
  readonly userParameters: Readonly<Record<string, unknown>>;
  /** First record of each entity read so far. */
  readonly records: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  readonly now: number;
  /** The connector's replication config; undefined if no service is used. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
}

/** A cheap read of one entity, or why there is none. */
export type ProbeChoice =
  | {
      readonly action: string;
      readonly params: Readonly<Record<string, unknown>>;
      /** Entity whose first record provided a parameter. */
      readonly sampled?: string | undefined;
    }
  | { readonly skipReason: string };

/** Common page size parameters, to make a read cheaper. */
const pageSizeParameters: Readonly<Record<string, unknown>> = { first: 1, pageSize: 1, page_size: 1, limit: 1 };

/** Chooses the cheapest read of an entity with the available parameters. */
export function probeOf({ name, actions }: EntityDescription, context: ProbeContext): ProbeChoice {
  const { entity, action, params: known = {} } = context.guide.probe ?? {};
  const params = typeof known === 'function' ? context.config && known(context.config) : known;
  if (entity === name && action !== undefined && params) return { action, params };
  const reads = actions.filter(({ effect, binary, hosted_only }) => effect === 'read' && !binary && !hosted_only);
  if (reads.length === 0) {
    return { skipReason: actions.some(({ binary }) => binary) ? 'it supports only downloads' : 'it has only writes' };
  }
  const candidates = reads.map((read) => paramsOf(name, read, context));
  const ready = candidates.find((probe) => 'params' in probe);
  return ready ?? candidates[0]!;
}

function paramsOf(entity: string, { name, params: schema }: ActionDescription, context: ProbeContext): ProbeChoice {
  const { properties = {}, required = [] } = schema as { properties?: object; required?: string[] };
  const { parameters = {}, optional = {} } = context.guide.doctor ?? {};
  const constants = { ...pageSizeParameters, ...optional };
  const own = Object.keys(parameters).flatMap((key) =>
    key.startsWith(`${entity}.`) ? [key.slice(entity.length + 1)] : [],
  );
  const params: Record<string, unknown> = {};
  let sampled: string | undefined;
  for (const parameter of [...required, ...[...own, ...Object.keys(constants)].filter((each) => each in properties)]) {
    const source = parameters[`${entity}.${parameter}`] ?? parameters[parameter];
    const value = source ? valueFrom(source, context) : constants[parameter];
    if (value === undefined) return { skipReason: skipReasonFor(parameter, source) };
    params[parameter] = value;
    if (source && 'entity' in source) sampled = source.entity;
  }
  return { action: name, params, sampled };
}

function valueFrom(source: ParameterValue, { userParameters, records, now }: ProbeContext): unknown {
  if (typeof source === 'function') return source(now);
  return (
    ('argument' in source ? userParameters[source.argument] : records.get(source.entity)?.[source.field]) ?? undefined
  );
}

const skipReasonFor = (parameter: string, source: ParameterValue | undefined): string =>
  source && 'argument' in source
    ? `${parameter} is required: pass it in the argument${source.argument === parameter ? '' : ` as ${source.argument}`}, or set ${source.variable}`
    : `no record to take ${parameter} from`;

/** User-provided parameters. */
const userSources = ({ doctor }: ProbeContext['guide']) =>
  Object.values(doctor?.parameters ?? {}).flatMap((source) => ('argument' in source ? [source] : []));

/** JSON argument keys for user-provided parameters. */
export const userParameterKeys = (guide: ProbeContext['guide']): string[] =>
  userSources(guide).map(({ argument }) => argument);

/** User-provided parameters, from the argument or the environment. */
export const readUserParameters = (
  guide: ProbeContext['guide'],
  argument: Readonly<Record<string, any>>,
  env: Readonly<Record<string, string | undefined>>,
): ProbeContext['userParameters'] =>
  Object.fromEntries(
    userSources(guide).map(({ argument: key, variable }) => [
      key,
      argument[key] ?? (env[variable]?.trim() || undefined),
    ]),
  );
