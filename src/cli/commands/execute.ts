import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ConnectorError } from '../../call/errors.js';
import type { ExecuteOptions } from '../../call/execute-options.js';
import type { DownloadMeta, Result } from '../../call/result.js';
import { effectOf } from '../../manifest/manifest.js';
import type { Call } from '../arguments/specification.js';
import { type AnyClass, classNamed, type RunningConnector, specOf } from '../definitions.js';
import { executeAt } from '../execution.js';
import { amended, refusal } from '../failure.js';
import { findHosted, openSession } from '../hosted.js';
import { classAsked, openLocal } from '../local/open.js';
import { confirm } from '../output/prompt.js';

/** An action that is about to be run. */
interface Ready {
  readonly connector: RunningConnector;
  readonly binary: boolean;
  readonly options: ExecuteOptions;
  /** What a failed write can be repeated with. */
  readonly key: string | undefined;
}

/** Runs one action of one entity. */
export async function executeAction(call: Call): Promise<void> {
  const { argument, flags, print } = call;
  const { entity, action, params = {} } = argument;
  if (entity === undefined || action === undefined) {
    throw refusal(`${entity === undefined ? 'entity' : 'action'} is missing.`, {
      hint: 'The argument looks like {"name":"…","entity":"issues","action":"list","params":{…}}.',
    });
  }
  const ready = flags.local ? await locally(call) : await atService(call);
  if (ready.binary && (flags.all || argument.select_fields || argument.exclude_fields)) {
    throw refusal('A download is bytes: --all, select_fields and exclude_fields do not go with it.');
  }
  if (ready.binary !== (flags.output !== undefined)) {
    throw ready.binary
      ? refusal('A download needs --output: the file, or the folder, that it goes to.')
      : refusal(`--output is for downloads, and ${entity}.${action} is none.`, { hint: 'Redirect standard output.' });
  }
  if (flags.output !== undefined) await takesDownload(flags.output);
  try {
    if (flags.all) {
      for await (const record of ready.connector.paginate(entity, action, params, ready.options)) {
        await print.line(record);
      }
      return;
    }
    const result = await ready.connector.execute(entity, action, params, ready.options);
    await print.result(ready.binary ? await saved(result, call) : print.pretty ? tidy(result) : result);
  } catch (error) {
    if (ready.key === undefined || !ConnectorError.is(error)) throw error;
    throw amended(error, { extra: { idempotency_key: ready.key } });
  }
}

/** Refuses, before anything is fetched, a place that no download can go to. */
async function takesDownload(output: string): Promise<void> {
  if (output === '-') {
    throw refusal('--output is a file or a folder: a download does not go to standard output.', {
      hint: 'For a file of that name: ./-',
    });
  }
  const folder = resolve(/[/\\]$/.test(output) ? output : dirname(output));
  const found = await stat(folder).catch(() => undefined);
  if (!found?.isDirectory()) throw refusal(`--output: there is no folder ${folder}.`, { hint: 'Make it first.' });
}

const tidy = ({ data, meta }: Result): unknown =>
  Object.keys((meta ?? {}) as object).length === 0 ? data : { data, meta };

async function saved({ data, meta }: Result, { flags, surroundings }: Call): Promise<object> {
  const [{ save }, { withProgress }] = await Promise.all([
    import('../../node/save.js'),
    import('../output/progress.js'),
  ]);
  const { content_length } = meta as DownloadMeta;
  const stream = withProgress(data as ReadableStream<Uint8Array>, content_length, surroundings);
  const download = { data: stream, meta: meta as DownloadMeta };
  return { data: await save(download, flags.output!, { overwrite: flags.force === true }), meta };
}

const shaping = ({ argument, surroundings: { signal } }: Call): ExecuteOptions => ({
  signal,
  ...(argument.select_fields && { selectFields: argument.select_fields }),
  ...(argument.exclude_fields && { excludeFields: argument.exclude_fields }),
});

async function locally(call: Call): Promise<Ready> {
  const { entity, action, idempotency_key } = call.argument;
  if (idempotency_key !== undefined) {
    throw refusal('idempotency_key needs a service, which remembers it; with --local a write is sent once.');
  }
  const Class = await classAsked(call);
  const spec = specOf(Class, entity, action);
  await confirmed(Class, call);
  const { connector } = await openLocal(Class, call);
  return { connector, binary: spec?.returns.binary ?? false, options: shaping(call), key: undefined };
}

/** Asks before something is destroyed. */
async function confirmed(Class: AnyClass | undefined, call: Call): Promise<void> {
  const { argument, flags, surroundings } = call;
  const { entity, action, params } = argument;
  const spec = Class && specOf(Class, entity, action);
  if (Class && !spec) return;
  const effect = effectOf(action, spec ?? ({} as never));
  if (effect === 'destroy')
    await confirm(`${entity}.${action} ${JSON.stringify(params ?? {}).slice(0, 200)}`, flags.yes, surroundings);
}

async function atService(call: Call): Promise<Ready> {
  const { argument, surroundings } = call;
  const { entity, action, intent, idempotency_key } = argument;
  const session = await openSession(call);
  const { id, connector_type } = await findHosted(session, argument);
  const Class = await classNamed(connector_type, surroundings);
  await confirmed(Class, call);
  const spec = Class && specOf(Class, entity, action);
  const binary = spec?.returns.binary ?? (!Class && action === 'download');
  const reads = effectOf(action, spec ?? ({} as never)) === 'read';
  if (reads && idempotency_key !== undefined)
    throw refusal(`${entity}.${action} changes nothing: it takes no idempotency_key.`);
  const key = reads ? undefined : (idempotency_key ?? crypto.randomUUID());
  const run = (params: unknown, { selectFields, excludeFields }: ExecuteOptions) => {
    const asked = { id, entity, action, params: (params ?? {}) as object, binary, key, intent };
    return executeAt(session, { ...asked, selectFields, excludeFields }, surroundings.signal);
  };
  const connector = Class
    ? new Class({ transport: ({ params, options }) => run(params, options) })
    : unknownType(connector_type, run);
  return { connector, binary, options: shaping(call), key };
}

/** A connector of a type that the service knows and this version does not. */
function unknownType(
  type: string,
  run: (params: unknown, options: ExecuteOptions) => Promise<Result>,
): RunningConnector {
  const refuse = (what: string) =>
    refusal(`This version of agent-connectors does not know the type ${type}, and cannot ${what}.`, {
      hint: 'Update it.',
    });
  return {
    execute: (_entity, _action, params, options = {}) => run(params, options),
    paginate: () => {
      throw refuse('go through its pages');
    },
    describe: () => {
      throw refuse('describe it');
    },
  };
}
