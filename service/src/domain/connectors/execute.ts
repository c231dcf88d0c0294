import { ConnectorError, type DownloadMeta, type ExecuteOptions, type Once, type Plan } from 'agent-connectors';
import type { Telemetry } from '../../common/telemetry.js';
import type { ConnectorRow } from '../../data/state/rows.js';
import type { State } from '../../data/state/types.js';
import { withAudit } from '../audit/record-audit.js';
import { enforce } from '../policies/check.js';
import type { Definitions } from './definitions.js';
import type { Instances } from './instances.js';
import type { Searches } from './search.js';

/** One call of an action, as a request asks for it. */
export interface ExecuteInput {
  readonly entity: string;
  readonly action: string;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly select_fields?: readonly string[] | undefined;
  readonly exclude_fields?: readonly string[] | undefined;
  readonly skip_truncation?: boolean | undefined;
  readonly raw?: boolean | undefined;
  readonly intent?: string | undefined;
  /** Only makes a write ready, and gives its plan as the data. */
  readonly dry_run?: boolean | undefined;
  /** Carries out this plan. */
  readonly plan?: object | undefined;
  /** The memory of a write that has a key; never part of a body. */
  readonly once?: Once | undefined;
}

/** What an action resolved to. */
export interface ExecuteResult {
  readonly data: unknown;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** A file on its way. */
export interface Download {
  readonly data: ReadableStream<Uint8Array>;
  readonly meta: DownloadMeta;
}

/** Strings of lists are cut here when the caller asks for short ones. */
const truncatedLength = 200;

/** What actions are run by. */
export interface ExecuteDependencies {
  readonly definitions: Definitions;
  readonly instances: Instances;
  readonly searches: Searches;
}

/** What guards and notes them as well. */
export interface GuardedExecuteDependencies extends ExecuteDependencies {
  readonly state: Pick<State, 'audit' | 'policies'>;
  readonly telemetry: Telemetry;
  readonly report: (error: unknown, requestId: string) => void;
}

/** Runs one action as far as the policies allow, and puts it down in the audit log. */
export async function execute(
  row: ConnectorRow,
  input: ExecuteInput,
  dependencies: GuardedExecuteDependencies,
  signal: AbortSignal | undefined,
): Promise<ExecuteResult> {
  const { entity, action, params, intent, dry_run } = input;
  const { audit, policies } = dependencies.state;
  const definition = await dependencies.definitions.of(row.type);
  const effect = definition.action(entity, action)?.effect ?? null;
  const auditedCall = { row, entity, action, effect: dry_run ? 'read' : effect, params, intent };
  const work = async () => {
    enforce(await policies.applicableTo(row), definition, entity, action);
    return perform(row, input, dependencies, signal);
  };
  // Names that no type has are the caller's own words.
  const knownNames = effect === null ? { entity: 'unknown', action: 'unknown' } : { entity, action };
  return dependencies.telemetry.call({ type: row.type, ...knownNames }, () =>
    withAudit(audit, auditedCall, work, (error) => dependencies.report(error, 'audit')),
  );
}

/** Runs one action of a connector; a search is answered by the service, all else by the vendor. */
export async function perform(
  row: ConnectorRow,
  input: ExecuteInput,
  { definitions, instances, searches }: ExecuteDependencies,
  signal: AbortSignal | undefined,
): Promise<ExecuteResult> {
  const { entity, action, params = {} } = input;
  const definition = await definitions.of(row.type);
  const hosted = definition.action(entity, action)?.hosted_only ?? false;
  const connector = hosted ? definition.make({ transport: searches.transportFor(row) }) : await instances.get(row);
  try {
    if (input.dry_run) return { data: await connector.plan!(entity, action, params, signal && { signal }), meta: {} };
    return (await connector.execute(entity, action, params, optionsOf(input, signal))) as ExecuteResult;
  } catch (error) {
    throw withWireNames(error);
  }
}

function optionsOf(input: ExecuteInput, signal: AbortSignal | undefined): ExecuteOptions {
  const { action, select_fields, exclude_fields, skip_truncation = true, raw, plan, once } = input;
  const truncates = !skip_truncation && (action === 'list' || action === 'context_store_search');
  return {
    ...(signal && { signal }),
    ...(select_fields && { selectFields: select_fields }),
    ...(exclude_fields && { excludeFields: exclude_fields }),
    ...(raw && { raw }),
    ...(plan && { plan: plan as Plan }),
    ...(once && { once }),
    ...(truncates && { maxStringLength: truncatedLength }),
  };
}

const wireNames: Readonly<Record<string, string>> = { selectFields: 'select_fields', excludeFields: 'exclude_fields' };

/** The library calls its shaping options by other names than the wire does. */
function withWireNames(error: unknown): unknown {
  if (!ConnectorError.is(error)) return error;
  const renamed = error.issues?.find(({ path }) => Object.hasOwn(wireNames, path))?.path;
  if (renamed === undefined) return error;
  const { code, message, issues = [], hint, docs } = error;
  return new ConnectorError(code, message.replace(renamed, wireNames[renamed]!), {
    issues: issues.map(({ path, message: text }) => ({ path: wireNames[path] ?? path, message: text })),
    hint,
    docs,
  });
}
