import type { AnyConnector } from '../../any-connector.js';
import type { ConnectorError, ErrorCode } from '../../errors/connector-error.js';
import { internalCalls } from '../../internal-calls.js';
import type { EntityDescription } from '../../manifest/describe.js';
import type { SetupSource } from '../../manifest/setup.js';
import type { ArgumentKeys, CommandCall } from '../arguments/specification.js';
import { type AnyClass, allClasses } from '../definitions.js';
import type { CliEnvironment } from '../environment.js';
import { asConnectorError } from '../failure.js';
import { affectsAllEntities, fixHint } from './fix-hint.js';
import { identityOf } from './identity.js';
import { type Observer, observe } from './observer.js';
import { guideOf, openLocal } from './open.js';
import { type ProbeContext, probeOf, readUserParameters, userParameterKeys } from './probes.js';

/** Result of one entity's cheap read. */
interface EntityReport {
  readonly entity: string;
  readonly action: string | null;
  readonly status: 'ok' | 'failed' | 'inconclusive' | 'not_tried';
  readonly code?: string;
  readonly reason?: string;
  readonly fix?: string;
}

/** Diagnosis of one connector. */
export interface Diagnosis {
  readonly connector: string;
  readonly ok: boolean;
  readonly [key: string]: unknown;
}

/** Clock skew that signatures and tokens tolerate, in seconds. */
const maxClockSkewSeconds = 60;

/** Timeout of each call, in milliseconds. */
const timeoutMs = 30_000;

/** Tests a connector with credentials from the environment: one cheap read per entity. */
export async function diagnose(Class: AnyClass, call: CommandCall): Promise<Diagnosis> {
  const { name: connector, title } = Class.manifest;
  const observer = observe(call.environment.fetch);
  const opened = await openLocal(Class, call, observer.fetch).catch(asConnectorError);
  if (!('connector' in opened)) {
    const problem = { problem: opened.message, fix: fixHint(opened, call.flags) };
    return { connector, title, ok: false, credentials: null, problems: [problem], entities: [] };
  }
  const { calls } = await guideOf(Class);
  // One connector for both, so that they share an access token.
  const source = internalCalls(Class.manifest, calls, { ...opened.options, timeoutMs });
  const findings = await examine({ ...opened, connector: source, observer, peer: 'vendor', source }, call);
  return {
    connector,
    title,
    ok: findings.problems.length === 0,
    credentials: { mode: opened.mode, variables: opened.variables },
    ...findings,
  };
}

/** A connector to diagnose. */
export interface Examined {
  readonly Class: AnyClass;
  readonly connector: Pick<AnyConnector, 'execute'>;
  /** Its credentials, if available locally. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly observer: Observer;
  /** Where the observed responses come from. */
  readonly peer: 'vendor' | 'service';
  readonly config?: ProbeContext['config'];
  /** Identifies the account; undefined if its calls are unavailable, as through a service. */
  readonly source?: SetupSource;
}

/** Performs one cheap read per entity and reports the results. */
export async function examine(
  { Class, connector, credentials, observer, peer, config, source }: Examined,
  call: CommandCall,
) {
  const guide = await guideOf(Class);
  const { entities, brought: reads } = await readAll(Class, connector, guide, call, config, observer);
  const entitiesWithoutScope = entities.filter(({ code }) => code === 'scope_missing').map(({ entity }) => entity);
  const noneTried = entities.every(({ status }) => status === 'not_tried');
  const exampleProblems = noneTried ? [await tryExample(Class, connector, entities, call)] : [];
  const works = source && entities.some(({ status }) => status === 'ok');
  const identity =
    identityOf(reads, credentials, guide.doctor?.identity) ??
    (works && (await guide.identify?.(source).catch(() => undefined)));
  call.environment.signal.throwIfAborted();
  const { clockSkew, quota, scopes } = observer.observation();
  return {
    identity: identity || null,
    scopes: { granted: scopes, missing_for: entitiesWithoutScope },
    clock_skew_seconds: clockSkew,
    // A service's response headers describe its own limits, not the vendor's.
    quota: [
      ...quota.map((each) => (peer === 'service' ? { ...each, name: `${each.name} to the service` } : each)),
      ...(guide.doctor?.quota?.(reads) ?? []),
    ],
    problems: [...problemsOf(entities, clockSkew, peer), ...exampleProblems],
    entities,
  };
}

async function readAll(
  Class: AnyClass,
  connector: Examined['connector'],
  guide: ProbeContext['guide'],
  call: CommandCall,
  config: ProbeContext['config'],
  observer: Observer,
) {
  const records = new Map<string, Readonly<Record<string, unknown>>>();
  const metas = new Map<string, Readonly<Record<string, unknown>>>();
  const { argument, environment } = call;
  const context: ProbeContext = {
    guide,
    userParameters: readUserParameters(guide, argument, environment.env),
    records,
    config,
    now: Date.now(),
  };
  const reports = new Map<string, EntityReport>();
  let fatalError: ConnectorError | undefined;
  const all = Class.describe().entities;
  // A second round is for entities that need a record from an entity read later.
  for (const round of [1, 2]) {
    for (const entity of all) {
      const before = reports.get(entity.name);
      if (round === 2 && before?.action !== null) continue;
      if (fatalError) {
        const { unreachable } = observer.observation();
        const isDown = fatalError.code === 'network' && unreachable !== null;
        const reason = isDown ? `${unreachable} is unreachable` : 'the credentials do not work';
        reports.set(entity.name, { ...notTried(entity.name), reason });
        continue;
      }
      const report = await read(entity, connector, context, { records, metas }, call);
      reports.set(entity.name, report.report);
      if (report.error && affectsAllEntities(report.error)) fatalError = report.error;
    }
  }
  return { entities: all.map(({ name }) => reports.get(name)!), brought: { records, metas } };
}

/** Failures that may not occur with another record in the same account. */
const dependsOnRecord: ReadonlySet<ErrorCode> = new Set(['forbidden', 'not_found', 'invalid_params', 'conflict']);

const notTried = (entity: string): EntityReport => ({ entity, action: null, status: 'not_tried' });

async function read(
  entity: EntityDescription,
  connector: Examined['connector'],
  context: ProbeContext,
  reads: Record<'records' | 'metas', Map<string, Readonly<Record<string, unknown>>>>,
  { flags, environment: { signal } }: CommandCall,
): Promise<{ report: EntityReport; error?: ConnectorError }> {
  const { name } = entity;
  const probe = probeOf(entity, context);
  if ('skipReason' in probe) return { report: { ...notTried(name), reason: probe.skipReason } };
  const { action, params, sampled } = probe;
  try {
    const { data, meta } = await connector.execute(name, action, params, { signal, timeoutMs });
    const [first] = Array.isArray(data) ? data : [data];
    if (typeof first === 'object' && first !== null)
      reads.records.set(name, first as Readonly<Record<string, unknown>>);
    reads.metas.set(name, (meta ?? {}) as Readonly<Record<string, unknown>>);
    return { report: { entity: name, action, status: 'ok' } };
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asConnectorError(thrown);
    const { code, message } = error;
    if (code === 'denied_by_policy') return { report: { ...notTried(name), action, reason: message } };
    if (sampled && dependsOnRecord.has(code)) {
      const reason = `tested with the first record from ${sampled}: ${message}`;
      return { report: { entity: name, action, status: 'inconclusive', code, reason } };
    }
    const fix = fixHint(error, flags);
    return { error, report: { entity: name, action, status: 'failed', code, reason: message, fix } };
  }
}

/** If nothing could be read because parameters are missing, checks whether the credentials are accepted. */
async function tryExample(
  Class: AnyClass,
  connector: Examined['connector'],
  entities: readonly EntityReport[],
  { flags, environment: { signal } }: CommandCall,
): Promise<object> {
  const nothingTried = {
    problem: 'No entity could be checked.',
    fix: entities[0]?.reason ?? 'Pass the missing parameters in the argument.',
    code: 'not_tried',
  };
  const [entity] = Class.describe().entities;
  const action = entity?.actions.find(({ effect, binary }) => effect === 'read' && !binary);
  if (!entity || !action) return nothingTried;
  try {
    await connector.execute(entity.name, action.name, action.example, { signal, timeoutMs });
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asConnectorError(thrown);
    const { code, message } = error;
    if (affectsAllEntities(error) || code === 'scope_missing')
      return { problem: message, fix: fixHint(error, flags), code };
  }
  return nothingTried;
}

/** One line per problem, however many entities it affects. */
function problemsOf(entities: readonly EntityReport[], skew: number | null, peer: Examined['peer']): object[] {
  const byReason = new Map<string, { problem: string; fix: string; code: string; entities: string[] }>();
  for (const { entity, status, code = '', reason = '', fix: advice = '' } of entities) {
    if (status !== 'failed') continue;
    const key = `${code}\n${advice}`;
    const problem = byReason.get(key) ?? { problem: reason, fix: advice, code, entities: [] };
    problem.entities.push(entity);
    byReason.set(key, problem);
  }
  const clock =
    skew !== null && Math.abs(skew) > maxClockSkewSeconds
      ? [
          {
            problem: `This machine's clock is ${Math.abs(skew)} s ${skew > 0 ? 'behind' : 'ahead of'} the ${peer}'s.`,
            fix: 'Set the clock, or enable NTP: tokens and signatures depend on it.',
            code: 'clock_skew',
          },
        ]
      : [];
  return [...byReason.values(), ...clock];
}

/** JSON argument keys that provide parameters for the cheap reads of any type. */
export async function doctorKeys(environment: CliEnvironment): Promise<ArgumentKeys> {
  const guides = await Promise.all((await allClasses(environment)).map(guideOf));
  return Object.fromEntries(guides.flatMap(userParameterKeys).map((key) => [key, 'text' as const]));
}
