import type { ActionDescription, ExecuteAnswer, PlannedWrite } from 'agent-connectors/wire';
import type { Outcome } from '../components/result.js';
import { api, connectorPath, randomKey, requireOk, send } from './api.js';

/** An action with its parameters. */
export interface Run {
  readonly id: string;
  readonly entity: string;
  readonly spec: Pick<ActionDescription, 'name' | 'effect' | 'binary'>;
  readonly params: Readonly<Record<string, unknown>> | undefined;
  readonly intent: string;
  /** Executes exactly this plan. */
  readonly plan?: PlannedWrite['plan'] | undefined;
}

const pathOf = (id: string) => connectorPath(id, '/execute');

const jsonOf = ({ entity, spec, params, intent, plan }: Run) => ({
  entity,
  action: spec.name,
  ...(params && { params }),
  ...(intent !== '' && { intent }),
  ...(plan && { plan }),
});

/** Prepares a write and returns what would be sent. */
export async function planAction(call: Run): Promise<PlannedWrite['plan']> {
  const json = { ...jsonOf(call), dry_run: true };
  return (await api<PlannedWrite>(pathOf(call.id), { method: 'POST', json })).plan;
}

/** Runs an action; a file result is downloaded by the browser. */
export async function run(call: Run): Promise<Outcome> {
  const { id, spec } = call;
  const path = pathOf(id);
  const json = jsonOf(call);
  if (spec.binary) return saveDownload(await requireOk(await send(path, { method: 'POST', json })));
  // Prevents a second execution if the browser resends the request after a broken connection.
  const headers = spec.effect === 'read' ? {} : { 'idempotency-key': randomKey() };
  const answer = await api<ExecuteAnswer>(path, { method: 'POST', json, headers });
  const { result, connector_metadata, execution_metadata } = answer;
  const searchResult = spec.name === 'context_store_search' ? (result as { data: unknown; meta: object }) : undefined;
  return {
    data: searchResult ? searchResult.data : result,
    meta: searchResult ? searchResult.meta : connector_metadata,
    ms: execution_metadata.execution_time_ms,
  };
}

const searchAction: Run['spec'] = { name: 'context_store_search', binary: false, effect: 'read' };

/** Searches the replicated records of an entity. */
export const searchRecords = (id: string, entity: string, params: Run['params']): Promise<Outcome> =>
  run({ id, entity, spec: searchAction, params, intent: '' });

async function saveDownload(response: Response): Promise<Outcome> {
  const started = performance.now();
  const file = await response.blob();
  const disposition = response.headers.get('content-disposition') ?? '';
  const name = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1] ?? /filename="([^"]*)"/i.exec(disposition)?.[1];
  const fileName = decodeURIComponent(name ?? 'download');
  saveFile(file, fileName);
  return {
    data: { file: fileName, bytes: file.size, content_type: response.headers.get('content-type') },
    meta: {},
    ms: performance.now() - started,
  };
}

/** Has the browser save a file. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
