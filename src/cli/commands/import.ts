import * as z from 'zod';
import { ConnectorError } from '../../errors/connector-error.js';
import { type HostedConnector, NewConnectorRequest } from '../../wire/index.js';
import type { CommandCall } from '../arguments/specification.js';
import { resolveClass } from '../definitions.js';
import { asConnectorError, reportOf, usageError } from '../failure.js';
import { connectorsIn, openSession, type Session } from '../hosted.js';
import { withSpinner } from '../output/progress.js';

const { connector_type, name, workspace_name, replication_config, settings } = NewConnectorRequest.shape;

/** One connection in the file. */
const ImportedConnector = z.strictObject({
  connector_type: connector_type.unwrap(),
  name: name.unwrap(),
  workspace: workspace_name.optional(),
  external_id: z.string().max(1000).optional(),
  credentials: z.record(z.string(), z.string()).nullable().optional(),
  replication_config,
  settings,
});

type ImportedConnector = z.infer<typeof ImportedConnector>;

const ImportFile = z.strictObject({ version: z.literal(1), connectors: z.array(ImportedConnector).min(1) });

/** What becomes of one connection. */
interface ImportedRow {
  readonly status: 'created' | 'would_create' | 'exists' | 'must_reconnect' | 'failed';
  readonly workspace: string;
  readonly name: string;
  readonly connector_type: string;
  /** The connector's id in the service. */
  readonly id?: string | undefined;
  readonly external_id?: string | undefined;
  /** Why it was not created. */
  readonly error?: string | undefined;
  /** The command that starts a connect session for it. */
  readonly reconnect?: string | undefined;
}

/** Creates the connectors of a file in the service; those that already exist, by workspace and name, stay as they are. */
export async function importConnectors(call: CommandCall): Promise<number> {
  const { argument, flags, print, environment } = call;
  if (Object.keys(argument).length === 0) {
    throw usageError('Missing file.', { hint: 'Pass @connectors.json, or - for standard input.' });
  }
  const connectors = parseFile(argument);
  const session = await openSession(call);
  const target = await openTarget(session, flags['dry-run'] === true);
  const rows = await withSpinner('Importing …', environment, async () => {
    const done: ImportedRow[] = [];
    for (const connector of connectors) done.push(await importOne(call, session, target, connector));
    return done;
  });
  const counts = Object.fromEntries(
    statuses.flatMap((status) => {
      const count = rows.filter((row) => row.status === status).length;
      return count > 0 ? [[status, count]] : [];
    }),
  );
  const result = {
    data: rows,
    ...counts,
    ...(target.newWorkspaces.length > 0 && { new_workspaces: target.newWorkspaces }),
    ...(target.isDryRun && { dry_run: true }),
  };
  await print.result(result, { first: ['status', 'name', 'connector_type', 'workspace', 'id'] });
  return counts.failed ? 1 : 0;
}

const statuses = ['created', 'would_create', 'exists', 'must_reconnect', 'failed'] as const;

/** Checks the file; messages name places, never values. */
function parseFile(argument: unknown): readonly ImportedConnector[] {
  const parsed = ImportFile.safeParse(argument);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => ({ path: placeOf(issue.path), message: messageOf(issue) }));
    const [first] = issues;
    throw usageError(`In the file, ${first!.path} ${first!.message}.`, { issues: issues.slice(0, 50) });
  }
  const { connectors } = parsed.data;
  const places = new Map<string, number>();
  for (const [index, { workspace = '', name }] of connectors.entries()) {
    const key = JSON.stringify([workspace, name]);
    const earlier = places.get(key);
    if (earlier !== undefined) {
      throw usageError(
        `In the file, connectors[${index}] and connectors[${earlier}] have the same workspace and name.`,
        {
          hint: 'Names are unique in a workspace. They identify the connectors if the file is imported again.',
        },
      );
    }
    places.set(key, index);
  }
  return connectors;
}

/** A place in the file. Keys of credentials come from the file, so a secret could be among them. */
const placeOf = (path: readonly PropertyKey[]): string =>
  path.slice(0, 4).reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const part = /^[a-z_]{1,40}$/.test(String(key)) ? String(key) : '…';
    return text === '' ? part : `${text}.${part}`;
  }, '');

const messageOf = (issue: z.core.$ZodIssue): string =>
  issue.code === 'unrecognized_keys'
    ? 'has an unknown key'
    : issue.code === 'invalid_type'
      ? `must be ${issue.expected === 'record' ? 'an object of strings' : `of type ${issue.expected}`}`
      : issue.code === 'invalid_value'
        ? `must be ${issue.values.join(' or ')}`
        : issue.code === 'custom'
          ? issue.message
          : 'is too short or too long';

/** What the service has, and what this run adds to it. */
interface Target {
  readonly isDryRun: boolean;
  /** Connectors of a workspace by name. */
  connectorsOf(workspace: string): Promise<Map<string, HostedConnector>>;
  /** Creates a workspace that does not exist. */
  ensureWorkspace(workspace: string): Promise<void>;
  /** Workspaces that did not exist. */
  readonly newWorkspaces: readonly string[];
}

async function openTarget(session: Session, isDryRun: boolean): Promise<Target> {
  const { data } = await session.client.workspaces.list();
  const workspaces = new Set(data.map((workspace) => workspace.name));
  const connectors = new Map<string, Map<string, HostedConnector>>();
  const newWorkspaces: string[] = [];
  return {
    isDryRun,
    newWorkspaces,
    async connectorsOf(workspace) {
      const known = connectors.get(workspace);
      if (known) return known;
      const rows = workspaces.has(workspace) ? await connectorsIn(session, workspace) : [];
      const byName = new Map(rows.map((row) => [row.name, row]));
      connectors.set(workspace, byName);
      return byName;
    },
    async ensureWorkspace(workspace) {
      if (workspaces.has(workspace)) return;
      if (!isDryRun) await session.client.workspaces.create(workspace);
      workspaces.add(workspace);
      newWorkspaces.push(workspace);
    },
  };
}

async function importOne(
  { environment, secrets }: CommandCall,
  session: Session,
  target: Target,
  connector: ImportedConnector,
): Promise<ImportedRow> {
  const { workspace = session.workspace, external_id, credentials, ...rest } = connector;
  const { name, connector_type } = rest;
  const row = { workspace, name, connector_type, ...(external_id !== undefined && { external_id }) };
  try {
    const existing = (await target.connectorsOf(workspace)).get(name);
    const Class = await classOf(connector_type, session, environment);
    if (existing && Class && existing.connector_type !== Class.manifest.name) {
      const error = `The workspace has a connector of this name with another type, ${existing.connector_type}.`;
      return { status: 'failed', ...row, id: existing.id, error };
    }
    if (existing) return { status: 'exists', ...row, id: existing.id };
    const reason = whyReconnect(credentials);
    if (reason !== undefined || !credentials) {
      return { status: 'must_reconnect', ...row, error: reason, reconnect: connectCommand(row) };
    }
    // Checks their shape and sends nothing.
    if (Class) new Class({ credentials });
    await target.ensureWorkspace(workspace);
    if (target.isDryRun) return { status: 'would_create', ...row };
    const body = { workspace_name: workspace, ...rest, credentials };
    const options = { change: 'connectors.create' } as const;
    const { id } = await session.send<HostedConnector>('POST', '/integrations/connectors', body, options);
    return { status: 'created', ...row, id };
  } catch (thrown) {
    if (environment.signal.aborted) throw thrown;
    const { report } = reportOf(asConnectorError(thrown), secrets);
    return { status: 'failed', ...row, error: [report.message, report.hint].filter(Boolean).join(' ') };
  }
}

/** Why credentials cannot be moved: undefined if they can. */
function whyReconnect(credentials: ImportedConnector['credentials']): string | undefined {
  if (!credentials || Object.keys(credentials).length === 0) return 'The file has no credentials for it.';
  const { access_token, refresh_token, client_id, client_secret } = credentials;
  if (access_token === undefined && refresh_token === undefined) return undefined;
  if (client_id === undefined || client_secret === undefined) {
    return 'Its tokens belong to an OAuth client whose id and secret are not in the file, so they cannot be renewed.';
  }
  return refresh_token === undefined ? 'It has no refresh token, so its access token cannot be renewed.' : undefined;
}

/** The command that starts a connect session; the user fills in where to return to. */
function connectCommand({
  workspace,
  name,
  connector_type,
}: Pick<ImportedRow, 'workspace' | 'name' | 'connector_type'>) {
  const session = {
    workspace,
    connector_type,
    name,
    return_url: 'https://YOUR-PRODUCT/connected',
    state: 'YOUR-STATE',
  };
  return `agent-connectors connect session '${JSON.stringify(session).replaceAll("'", '\\u0027')}'`;
}

/** A type's class; undefined if only the service knows the type. Throws if neither does. */
async function classOf(type: string, session: Session, environment: CommandCall['environment']) {
  try {
    return await resolveClass(type, environment);
  } catch (error) {
    if (!ConnectorError.is(error) || error.code !== 'invalid_params') throw error;
    await session.get('/integrations/connectors', { connector_type: type, limit: 1 });
    return undefined;
  }
}
