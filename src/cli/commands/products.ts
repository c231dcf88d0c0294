import type { CommandCall } from '../arguments/specification.js';
import { failure, usageError } from '../failure.js';
import { connectorId, openSession, type Session } from '../hosted.js';

/** Starts a connect session. */
export async function beginSession(call: CommandCall): Promise<void> {
  const session = await openSession(call);
  const { workspace = session.workspace, workspace_name = workspace, connector_id, ...rest } = call.argument;
  const id = connector_id && (await connectorId(session, connector_id, workspace_name));
  const body = { ...rest, workspace_name, connector_id: id };
  await call.print.result(await session.send('POST', '/connect/sessions', body));
}

/** API path of a client's settings; defaults to the caller's own. */
async function settingsPath({ argument }: CommandCall, session: Session): Promise<string> {
  const named: string | undefined = argument.client_id;
  const id =
    named === undefined
      ? (await session.client.me()).client_id
      : named.startsWith('cli_')
        ? named
        : await clientId(session, named);
  return `/clients/${encodeURIComponent(id)}/connect`;
}

/** The id of the client with a name. */
async function clientId(session: Session, name: string): Promise<string> {
  const { data } = await session.get<{ data: Array<{ id: string; name: string }> }>('/clients');
  const [found, other] = data.filter((client) => client.name === name);
  if (!found) throw failure('not_found', 'Client not found.');
  if (!other) return found.id;
  throw usageError('Several clients have this name; pass an id.', { hint: `Matches: ${found.id}, ${other.id}.` });
}

/** Shows or sets the origins of a client. */
export async function connectOrigins(call: CommandCall): Promise<void> {
  const session = await openSession(call);
  const path = await settingsPath(call, session);
  const { origins } = call.argument;
  const body = { return_origins: origins };
  await call.print.result(await (origins ? session.send('PUT', path, body) : session.get(path)));
}

/** Creates or replaces a client's key. */
export async function rollConnectKey(call: CommandCall): Promise<void> {
  const session = await openSession(call);
  const { overlap_seconds } = call.argument;
  await call.print.result(
    await session.send(
      'POST',
      `${await settingsPath(call, session)}/key`,
      { overlap_seconds },
      { change: 'connect.key' },
    ),
  );
}

const webhooksOf = async (call: CommandCall) => (await openSession(call)).client.webhooks;

/** Id of the endpoint named by the argument. */
function idOf({ argument: { id } }: CommandCall): string {
  if (id === undefined) throw usageError('Pass the endpoint’s id.', { hint: 'agent-connectors webhooks list' });
  return id;
}

/** Lists endpoints. */
export const listWebhooks = async (call: CommandCall): Promise<void> =>
  call.print.result(await (await webhooksOf(call)).list());

/** Registers an endpoint. */
export async function createWebhook(call: CommandCall): Promise<void> {
  const { url, events, workspace } = call.argument;
  if (url === undefined) throw usageError('Pass the endpoint’s url.');
  const webhook = { url, ...(events && { events }), ...(workspace !== undefined && { workspace_name: workspace }) };
  await call.print.result(await (await webhooksOf(call)).create(webhook));
}

/** Changes an endpoint. */
export async function updateWebhook(call: CommandCall): Promise<void> {
  const { url, events, enabled } = call.argument;
  const changes = {
    ...(url !== undefined && { url }),
    ...(events && { events }),
    ...(enabled !== undefined && { enabled }),
  };
  await call.print.result(await (await webhooksOf(call)).update(idOf(call), changes));
}

/** Deletes an endpoint. */
export async function deleteWebhook(call: CommandCall): Promise<void> {
  const id = idOf(call);
  await (await webhooksOf(call)).delete(id);
  await call.print.result({ id, deleted: true });
}

/** Replaces an endpoint's secret. */
export const rollWebhookSecret = async (call: CommandCall): Promise<void> =>
  call.print.result(await (await webhooksOf(call)).rollSecret(idOf(call), call.argument.overlap_seconds));

/** Sends a test message. */
export const testWebhook = async (call: CommandCall): Promise<void> =>
  call.print.result(await (await webhooksOf(call)).test(idOf(call)));

/** Lists deliveries. */
export async function listDeliveries(call: CommandCall): Promise<void> {
  const { status, limit, cursor } = call.argument;
  const page = { ...(status && { status }), ...(limit && { limit }), ...(cursor && { cursor }) };
  const deliveries = await (await webhooksOf(call)).deliveries(idOf(call), page as object);
  await call.print.result(deliveries, { first: ['id', 'event', 'status', 'response_status', 'connector_id'] });
}

/** Sends a message again. */
export async function replayDelivery(call: CommandCall): Promise<void> {
  const { delivery_id } = call.argument;
  if (delivery_id === undefined) throw usageError('Pass the message’s delivery_id.');
  await call.print.result(await (await webhooksOf(call)).replay(idOf(call), delivery_id));
}
