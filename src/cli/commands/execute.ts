import type { Action } from '../../action/action.js';
import type { Result } from '../../action/result.js';
import type { ExecuteOptions, Sent } from '../../call/execute-options.js';
import type { View } from '../../call/shape.js';
import { shapeData } from '../../call/shape.js';
import type { Transport } from '../../call/transport.js';
import { ConnectorError } from '../../errors/connector-error.js';
import { effectOf, type Manifest } from '../../manifest/manifest.js';
import type { Gap } from '../../search/gap.js';
import type { Hit } from '../../search/types.js';
import type { CommandCall } from '../arguments/specification.js';
import { type AnyClass, classByName, type RunningConnector, specOf } from '../definitions.js';
import { usageError, withDetails } from '../failure.js';
import { findHosted, openSession, transportTo } from '../hosted.js';
import { openLocal, requestedClass } from '../local/open.js';
import { formatReport, write } from '../output/printer.js';
import { withCount } from '../output/progress.js';
import { confirm } from '../output/prompt.js';
import { isRecord } from '../output/table.js';
import { checkDownloadTarget, saveDownload } from './download.js';

/** An action ready to run. */
interface PreparedExecution {
  readonly connector: RunningConnector;
  /** Undefined if this version does not know the type. */
  readonly manifest: Manifest | undefined;
  readonly binary: boolean;
  readonly options: ExecuteOptions;
  /** The key for repeating a failed write; undefined until it is sent. */
  readonly key: () => string | undefined;
}

/** Runs an action on an entity. */
export async function executeAction(call: CommandCall): Promise<void> {
  const { argument, flags, print } = call;
  const { entity, action, params = {} } = argument;
  if (entity === undefined || action === undefined) {
    throw usageError(`${entity === undefined ? 'entity' : 'action'} is missing.`, {
      hint: 'Pass an argument like {"name":"…","entity":"issues","action":"list","params":{…}}.',
    });
  }
  if (flags.view !== undefined && flags.view !== 'concise' && flags.view !== 'full') {
    throw usageError('--view must be concise or full.');
  }
  if (flags['dry-run'] && (flags.all || flags.output !== undefined)) {
    throw usageError('--dry-run is for writes: it cannot be combined with --all or --output.');
  }
  // A vendor's records have titles and identifiers that tell more than their ids.
  const columns = { first: [], only: argument.select_fields };
  const ready = flags.local ? await prepareLocal(call) : await prepareHosted(call);
  if (ready.binary && (flags.all || flags.view || argument.select_fields || argument.exclude_fields)) {
    throw usageError('--all, --view, select_fields and exclude_fields do not apply to a download.');
  }
  if (ready.binary !== (flags.output !== undefined)) {
    throw ready.binary
      ? usageError('A download requires --output with a file or folder.')
      : usageError(`--output is for downloads; ${entity}.${action} is not a download.`, {
          hint: 'Redirect standard output instead.',
        });
  }
  if (flags['dry-run']) {
    const plan = await ready.connector.plan?.(entity, action, params, { signal: call.environment.signal });
    await print.result({ dry_run: true, plan });
    return;
  }
  if (flags.output !== undefined) await checkDownloadTarget(flags.output, flags.force);
  try {
    if (flags.all) {
      const pages = ready.connector.paginate(entity, action, params, ready.options).pages();
      const omitted = new Set<string>();
      await print.records(withCount(recordsOf(pages, omitted, call.environment.signal), call.environment), columns);
      if (omitted.size > 0) await reportOmitted(omitted, call);
      return;
    }
    const result = await ready.connector.execute(entity, action, params, ready.options);
    const hits = print.pretty && columns.only === undefined ? hitRows(result.data) : undefined;
    if (hits) await print.result({ ...result, data: hits }, { first: ['identifier', 'score'] });
    else await print.result(ready.binary ? await saveDownload(result, ready, call) : result, columns);
  } catch (error) {
    const key = ready.key();
    if (key === undefined || !ConnectorError.is(error)) throw error;
    const known = isLostWrite(error) ? withRetryHint(key, error) : error;
    throw withDetails(known, { extra: { idempotency_key: key } });
  }
}

/** The records of all pages; adds to `omitted`, as JSON, what their meta says is missing. */
async function* recordsOf(
  pages: AsyncIterable<Result<unknown[], any>>,
  omitted: Set<string>,
  signal: AbortSignal,
): AsyncGenerator<unknown> {
  for await (const { data, meta } of pages) {
    for (const gap of meta?.missing ?? []) omitted.add(JSON.stringify(gap));
    for (const note of meta?.notes ?? []) omitted.add(JSON.stringify({ permanent: true, detail: note }));
    for (const record of data) {
      signal.throwIfAborted();
      yield record;
    }
  }
}

/** Says on standard error what the records do not contain, since lines of records have no place for it. */
async function reportOmitted(omitted: ReadonlySet<string>, { environment, isRead }: CommandCall): Promise<void> {
  const missing = [...omitted].map((gap) => JSON.parse(gap) as Partial<Gap>);
  const complete = missing.every(({ permanent }) => permanent);
  const details = missing.filter(({ permanent }) => complete || !permanent).map(({ detail }) => detail);
  const message = `${complete ? 'Not included' : 'Incomplete'}: ${details.join(' ')}`;
  const report = { type: complete ? 'note' : 'warning', message, complete, missing };
  await write(environment.stderr, formatReport(report, isRead, environment));
}

const isHit = (value: any): value is Hit<any> => typeof value?.metadata?.score === 'number' && isRecord(value.entity);

/** Semantic hits as table rows with the record's fields, score and passage; undefined for anything else. */
const hitRows = (data: unknown): object[] | undefined =>
  Array.isArray(data) && data.length > 0 && data.every(isHit)
    ? data.map(({ entity, metadata }) => ({
        ...entity,
        ...metadata,
        score: Number(metadata.score.toPrecision(3)),
      }))
    : undefined;

const shaping = ({ argument, flags, environment: { signal } }: CommandCall): ExecuteOptions => ({
  signal,
  ...(flags.view && { view: flags.view as View }),
  ...(flags.raw && { raw: true }),
  ...(argument.plan && { plan: argument.plan }),
  ...(argument.select_fields && { selectFields: argument.select_fields }),
  ...(argument.exclude_fields && { excludeFields: argument.exclude_fields }),
});

async function prepareLocal(call: CommandCall): Promise<PreparedExecution> {
  const { entity, action, idempotency_key } = call.argument;
  if (idempotency_key !== undefined) {
    throw usageError('idempotency_key requires a service to record it; with --local, a write is sent only once.');
  }
  const Class = await requestedClass(call);
  const spec = specOf(Class, entity, action);
  await confirmDestroy(Class, call);
  const { connector } = await openLocal(Class, call);
  const binary = spec?.returns.binary ?? false;
  return { connector, manifest: Class.manifest, binary, options: shaping(call), key: () => undefined };
}

/** Asks for confirmation before anything is destroyed. */
async function confirmDestroy(Class: AnyClass | undefined, call: CommandCall): Promise<void> {
  const { argument, flags, environment } = call;
  const { entity, action, params } = argument;
  if (flags['dry-run']) return;
  const spec = Class && specOf(Class, entity, action);
  if (Class && !spec) return;
  const effect = effectOf(action, spec ?? ({} as never));
  if (effect === 'destroy')
    await confirm(`${entity}.${action} ${JSON.stringify(params ?? {}).slice(0, 200)}`, flags.yes, environment);
}

async function prepareHosted(call: CommandCall): Promise<PreparedExecution> {
  const { argument, environment } = call;
  const { entity, action, intent, idempotency_key } = argument;
  const session = await openSession(call);
  const { id, connector_type } = await findHosted(session, argument);
  const Class = await classByName(connector_type, environment);
  await confirmDestroy(Class, call);
  const spec = Class && specOf(Class, entity, action);
  const binary = spec?.returns.binary ?? (!Class && action === 'download');
  const reads = effectOf(action, spec ?? ({} as never)) === 'read';
  if (reads && idempotency_key !== undefined)
    throw usageError(`${entity}.${action} is not a write: idempotency_key is not allowed.`);
  if (idempotency_key !== undefined && !/^[\x21-\x7e]([\x20-\x7e]{0,126}[\x21-\x7e])?$/.test(idempotency_key)) {
    throw usageError('idempotency_key must be 1 to 128 printable ASCII characters.');
  }
  const key = reads ? undefined : (idempotency_key ?? crypto.randomUUID());
  const transport = transportTo(session, id);
  const connector = Class ? new Class({ transport }) : unknownType(connector_type, transport, binary);
  let sentKey: string | undefined;
  const sending = ({ id: sent }: Sent) => {
    sentKey = sent;
  };
  const once = key === undefined ? undefined : { sent: { id: key, by: 'id' as const }, sending };
  const options = { ...shaping(call), intent, once };
  return { connector, manifest: Class?.manifest, binary, options, key: () => sentKey };
}

/** Whether a change was lost on the way to the service; if it was lost later, the service gives its own advice. */
const isLostWrite = (error: ConnectorError): boolean =>
  error.code === 'unknown_outcome' && ConnectorError.is(error.cause);

function withRetryHint(key: string, { message, status, vendor, cause }: ConnectorError): ConnectorError {
  return new ConnectorError('unknown_outcome', message, {
    status,
    vendor,
    cause,
    retryable: false,
    hint: `To retry safely, run the command again with "idempotency_key":"${key}".`,
  });
}

/** A connector of a type that the service knows but this version does not. */
function unknownType(type: string, transport: Transport, binary: boolean): RunningConnector {
  const unsupported = (what: string) =>
    usageError(`This version of agent-connectors has no ${type} connector type and cannot ${what}.`, {
      hint: 'Update agent-connectors.',
    });
  return {
    async execute(entity: string, action: string, params: unknown, options: ExecuteOptions = {}) {
      const spec = {
        returns: { kind: binary ? 'bytes' : 'any', binary },
        hostedOnly: action === 'context_store_search',
      } as unknown as Action;
      const effect = effectOf(action, spec);
      const manifest = { name: type } as Manifest;
      const operation = { manifest, entity, action, effect, params, spec, options, settings: {} };
      const result = await transport({ ...operation, timeoutMs: 120_000 });
      return binary ? result : { ...result, data: shapeData(result.data, options) };
    },
    paginate: () => {
      throw unsupported('read all pages');
    },
    plan: () => {
      throw unsupported('plan writes');
    },
    describe: () => {
      throw unsupported('describe it');
    },
  };
}
