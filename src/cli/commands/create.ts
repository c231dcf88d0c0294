import { setTimeout as pause } from 'node:timers/promises';
import { isMissingRoute } from '../../hosted/errors.js';
import { connectorPath } from '../../hosted/service.js';
import type { HostedConnector } from '../../wire/index.js';
import type { CommandCall } from '../arguments/specification.js';
import { failure, reportOf, usageError } from '../failure.js';
import { openSession, type Session } from '../hosted.js';
import { formatReport, write } from '../output/printer.js';
import { withSpinner } from '../output/progress.js';

/** Creates a connector: directly if credentials are given, otherwise through the service's setup pages. */
export async function createConnector(call: CommandCall): Promise<void> {
  const { argument, print } = call;
  const { workspace, credentials, ...rest } = argument;
  const session = await openSession(call);
  const workspace_name = workspace ?? session.workspace;
  if (credentials === undefined) {
    await print.result(await runSetup(call, session, { workspace_name, ...rest }));
    return;
  }
  if ((rest.connector_type === undefined) === (rest.definition_id === undefined)) {
    throw usageError('Pass exactly one of connector_type and definition_id.');
  }
  const secrets = Object.values(credentials).filter((value): value is string => typeof value === 'string');
  call.secrets.push(...secrets);
  const body = { workspace_name, ...rest, credentials };
  const options = { change: 'connectors.create' } as const;
  const created = await session.send<HostedConnector>('POST', '/integrations/connectors', body, options);
  await print.result(created);
  // The connector exists, so a failed check is a note, not an error.
  const { status, error_message } = await session.client.connectors.check(created.id).catch(() => unchecked);
  if (status !== 'failed') return;
  const warning = failure('invalid_credentials', `The vendor rejected the credentials: ${error_message}`, {
    type: 'warning',
    hint: `Replace them: agent-connectors connectors update - (id ${created.id})`,
  });
  const { report } = reportOf(warning, call.secrets);
  await write(call.environment.stderr, formatReport(report, call.isRead, call.environment));
}

const unchecked = { status: 'inconclusive', error_message: null } as const;

interface StartedSetup {
  readonly setup_url: string;
  readonly setup_id: string;
  readonly expires_at?: string | undefined;
}

interface SetupState {
  readonly status: 'pending' | 'done' | 'expired' | 'failed';
  readonly connector_id?: string | null | undefined;
  readonly error?: unknown;
}

const path = '/integrations/connectors/setup';

async function runSetup(call: CommandCall, session: Session, body: object): Promise<HostedConnector> {
  const { flags, environment } = call;
  const { setup_url, setup_id, expires_at } = await session.send<StartedSetup>('POST', path, body).catch((error) => {
    throw isMissingRoute(error) ? noSetup() : error;
  });
  const address = safeAddress(setup_url);
  await write(environment.stderr, `Continue in a browser: ${address}\n`);
  const shown = !flags['no-browser'] && environment.stderr.isTTY === true && environment.browse(address);
  const waiting = shown ? 'Waiting for the browser …' : 'Waiting for setup to complete …';
  const state = await withSpinner(waiting, environment, () =>
    waitForSetup(session, setup_id, expires_at, environment.signal),
  );
  if (state.status === 'done' && state.connector_id) return session.get(connectorPath(state.connector_id));
  const why = typeof state.error === 'string' ? `: ${state.error}` : '';
  throw failure('aborted', state.status === 'expired' ? 'Setup expired.' : `Setup failed${why}.`, {
    hint: 'Run the same command again.',
    extra: { setup_id, status: state.status },
  });
}

const noSetup = () =>
  failure('not_found', 'This service has no setup flow and the argument contains no credentials.', {
    type: 'validation_error',
    hint: 'Pass "credentials" in JSON on standard input (agent-connectors connectors create - < connector.json) or in a file (@connector.json), never on the command line.',
  });

/** Rejects a URL that must not be passed to a browser. */
function safeAddress(given: unknown): string {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url.href;
  throw failure('invalid_response', 'The setup URL from the service does not use http or https.');
}

/** Polls until the setup ends, with increasing delays. */
async function waitForSetup(
  session: Session,
  id: string,
  expires: string | undefined,
  signal: AbortSignal,
): Promise<SetupState> {
  const end = Date.parse(expires ?? '') || Date.now() + 30 * 60_000;
  for (let wait = 1000; ; wait = Math.min(wait * 1.5, 8000)) {
    const state = await session.get<SetupState>(`${path}/${encodeURIComponent(id)}`);
    if (state.status !== 'pending') return state;
    if (Date.now() > end) return { status: 'expired' };
    await pause(wait, undefined, { signal }).catch(() => {
      throw failure('aborted', 'Interrupted. The setup stays open until it expires.');
    });
  }
}
