import type { ConnectorError } from '../../call/errors.js';
import type { EntityDescription } from '../../manifest/describe.js';
import type { Call } from '../arguments/specification.js';
import type { AnyClass, RunningConnector } from '../definitions.js';
import { asConnectorError } from '../failure.js';
import { concernsAll, mend } from './mend.js';
import { observe } from './observer.js';
import { guideOf, openLocal } from './open.js';
import { givenBy, type Known, probeOf } from './probes.js';
import { identityOf } from './told.js';

/** What came of one entity's cheap read. */
interface EntityReport {
  readonly entity: string;
  readonly action: string | null;
  readonly status: 'ok' | 'failed' | 'not_tried';
  readonly code?: string;
  readonly reason?: string;
  readonly mend?: string;
}

/** What was found out about one connector. */
export interface Diagnosis {
  readonly connector: string;
  readonly ok: boolean;
  readonly [key: string]: unknown;
}

/** Seconds of difference between two clocks that signatures and tokens bear. */
const bearable = 60;

/** Tries a connector with the environment's credentials: one cheap read of each entity. */
export async function diagnose(Class: AnyClass, call: Call): Promise<Diagnosis> {
  const { name: connector, title } = Class.manifest;
  const observer = observe(call.surroundings.fetch);
  const opened = await openLocal(Class, call, observer.fetch).catch(asConnectorError);
  if (!('connector' in opened)) {
    const problem = { what: opened.message, mend: mend(opened) };
    return { connector, title, ok: false, credentials: null, problems: [problem], entities: [] };
  }
  const guide = await guideOf(Class);
  const { entities, brought } = await readAll(Class, opened.connector, guide, call);
  const lacking = entities.filter(({ code }) => code === 'scope_missing').map(({ entity }) => entity);
  const untriedAll = entities.every(({ status }) => status === 'not_tried');
  const further = untriedAll ? [await withExample(Class, opened.connector, entities, call)] : [];
  const { clockSkew, quota, scopes } = observer.observed();
  const problems = [...problemsOf(entities, clockSkew), ...further];
  return {
    ...{ connector, title, ok: problems.length === 0 },
    credentials: { mode: opened.mode, variables: opened.variables },
    identity: identityOf(brought, opened.credentials, guide.doctor?.identity),
    scopes: { granted: scopes, missing_for: lacking },
    clock_skew_seconds: clockSkew,
    quota: [...quota, ...(guide.doctor?.quota?.(brought) ?? [])],
    problems,
    entities,
  };
}

async function readAll(Class: AnyClass, connector: RunningConnector, guide: Known['guide'], call: Call) {
  const records = new Map<string, Readonly<Record<string, unknown>>>();
  const metas = new Map<string, Readonly<Record<string, unknown>>>();
  const { argument, surroundings } = call;
  const known: Known = { guide, given: givenBy(guide, argument, surroundings.env), records, now: Date.now() };
  const reports = new Map<string, EntityReport>();
  let refused: ConnectorError | undefined;
  const all = Class.describe().entities;
  // A second round, for entities that need a record of one that comes after them.
  for (const round of [1, 2]) {
    for (const entity of all) {
      const before = reports.get(entity.name);
      if (round === 2 && before?.action !== null) continue;
      if (refused) {
        reports.set(entity.name, { ...untried(entity.name), reason: 'the credentials do not work at all' });
        continue;
      }
      const report = await read(entity, connector, known, { records, metas }, surroundings.signal);
      reports.set(entity.name, report.report);
      if (report.error && concernsAll(report.error)) refused = report.error;
    }
  }
  return { entities: all.map(({ name }) => reports.get(name)!), brought: { records, metas } };
}

const untried = (entity: string) => ({ entity, action: null, status: 'not_tried' as const });

async function read(
  entity: EntityDescription,
  connector: RunningConnector,
  known: Known,
  brought: Record<'records' | 'metas', Map<string, Readonly<Record<string, unknown>>>>,
  signal: AbortSignal,
): Promise<{ report: EntityReport; error?: ConnectorError }> {
  const { name } = entity;
  const probe = probeOf(entity, known);
  if ('lacks' in probe) return { report: { ...untried(name), reason: probe.lacks } };
  const { action, params } = probe;
  try {
    const { data, meta } = await connector.execute(name, action, params, { signal, timeoutMs: 30_000 });
    const [first] = Array.isArray(data) ? data : [data];
    if (typeof first === 'object' && first !== null)
      brought.records.set(name, first as Readonly<Record<string, unknown>>);
    brought.metas.set(name, (meta ?? {}) as Readonly<Record<string, unknown>>);
    return { report: { entity: name, action, status: 'ok' } };
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asConnectorError(thrown);
    const { code, message } = error;
    return { error, report: { entity: name, action, status: 'failed', code, reason: message, mend: mend(error) } };
  }
}

/** When nothing could be read for want of a parameter: whether at least the credentials are taken. */
async function withExample(
  Class: AnyClass,
  connector: RunningConnector,
  entities: readonly EntityReport[],
  { surroundings: { signal } }: Call,
): Promise<object> {
  const lacks = {
    what: 'Nothing could be tried.',
    mend: entities[0]?.reason ?? 'Pass more in the argument.',
    code: 'not_tried',
  };
  const [entity] = Class.describe().entities;
  const action = entity?.actions.find(({ effect, binary }) => effect === 'read' && !binary);
  if (!entity || !action) return lacks;
  try {
    await connector.execute(entity.name, action.name, action.example, { signal, timeoutMs: 30_000 });
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asConnectorError(thrown);
    const { code, message } = error;
    if (concernsAll(error) || code === 'scope_missing') return { what: message, mend: mend(error), code };
  }
  return lacks;
}

/** One line for each thing that is wrong, however many entities it shows at. */
function problemsOf(entities: readonly EntityReport[], skew: number | null): object[] {
  const byReason = new Map<string, { what: string; mend: string; code: string; entities: string[] }>();
  for (const { entity, status, code = '', reason = '', mend: advice = '' } of entities) {
    if (status !== 'failed') continue;
    const key = `${code}\n${advice}`;
    const problem = byReason.get(key) ?? { what: reason, mend: advice, code, entities: [] };
    problem.entities.push(entity);
    byReason.set(key, problem);
  }
  const clock =
    skew !== null && Math.abs(skew) > bearable
      ? [
          {
            what: `This machine's clock is ${Math.abs(skew)} s ${skew > 0 ? 'behind' : 'ahead of'} the vendor's.`,
            mend: 'Set it, or have it set by NTP: tokens and signatures depend on it.',
            code: 'clock_skew',
          },
        ]
      : [];
  return [...byReason.values(), ...clock];
}
