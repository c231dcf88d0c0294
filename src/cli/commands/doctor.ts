import { connectorPath } from '../../hosted/service.js';
import type { ConnectorCheck, ConnectorInspection, HostedConnector } from '../../hosted/wire.js';
import type { CommandCall } from '../arguments/specification.js';
import { allClasses } from '../definitions.js';
import { asConnectorError, failure } from '../failure.js';
import { connectorsIn, findHosted, openSession, type Session } from '../hosted.js';
import { hasCredentials } from '../local/credentials.js';
import { type Diagnosis, diagnose } from '../local/diagnose.js';
import { fixHint } from '../local/fix-hint.js';
import { requestedClass } from '../local/open.js';
import { inLine } from '../output/colour.js';
import { withSpinner } from '../output/progress.js';

/** Finds out what works, what does not, and how to mend it. */
export async function doctor(call: CommandCall): Promise<number> {
  const { flags, print, environment } = call;
  const mode = flags.local ? 'local' : 'hosted';
  const found = await withSpinner('Looking …', environment, () =>
    flags.local ? diagnoseLocal(call) : diagnoseHosted(call),
  );
  const { connectors, ...rest } = found;
  const ok = connectors.every((each) => each.ok);
  if (print.pretty) await print.text(formatReport(connectors, call));
  else await print.result({ ok, mode, ...rest, connectors });
  return ok ? 0 : 1;
}

interface Findings {
  readonly connectors: readonly Diagnosis[];
  readonly [key: string]: unknown;
}

async function diagnoseLocal(call: CommandCall): Promise<Findings> {
  const { argument, environment } = call;
  const isNamed = argument.name !== undefined || argument.connector_type !== undefined;
  const classes = isNamed
    ? [await requestedClass(call)]
    : (await allClasses(environment)).filter((Class) => hasCredentials(Class, environment.env));
  if (classes.length === 0) {
    throw failure('invalid_credentials', 'The environment holds no credentials for any connector.', {
      hint: 'agent-connectors connectors describe --local shows which variables there are.',
    });
  }
  return { connectors: await Promise.all(classes.map((Class) => diagnose(Class, call))) };
}

async function diagnoseHosted(call: CommandCall): Promise<Findings> {
  const { argument } = call;
  const session = await openSession(call);
  const me = await session.get<object>('/account/me');
  const isNamed = argument.name !== undefined || argument.id !== undefined;
  const rows = isNamed
    ? [await findHosted(session, argument)]
    : await connectorsIn(session, argument.workspace ?? session.workspace);
  const connectors: Diagnosis[] = [];
  for (const row of rows) connectors.push(await diagnoseConnector(session, row, call.environment.signal));
  return { service: { base_url: session.baseUrl, ...me }, connectors };
}

async function diagnoseConnector(session: Session, row: HostedConnector, signal: AbortSignal): Promise<Diagnosis> {
  const { id, name, connector_type, workspace_name } = row;
  const head = { connector: name, id, connector_type, workspace_name };
  try {
    const check = await session.send<ConnectorCheck>('POST', `${connectorPath(id)}/check`, {}, { idempotent: true });
    const inspection = await session.get<ConnectorInspection>(`${connectorPath(id)}/inspect`);
    const failed = check.entity_check_results.filter(({ status }) => status !== 'succeeded');
    const stores = inspection.context_store_readiness.entities.filter(({ status }) => status === 'failed');
    const problems = [
      ...(check.status === 'succeeded'
        ? []
        : [{ what: check.error_message ?? check.status, mend: checkFixHint(check) }]),
      ...stores.map(({ entity, error }) => ({
        what: `The copy of ${entity} for searching failed: ${error ?? 'no reason given'}`,
        mend: 'Run connectors sync; if it fails again, see check.',
      })),
      ...inspection.warnings.map((what) => ({ what, mend: 'See the warning.' })),
    ];
    return {
      ...head,
      ok: problems.length === 0,
      identity: inspection.identity,
      problems,
      entities: check.entity_check_results,
      ...(failed.length > 0 && { failed: failed.length }),
      readiness: inspection.context_store_readiness.entities,
    };
  } catch (thrown) {
    signal.throwIfAborted();
    const error = asConnectorError(thrown);
    return { ...head, ok: false, problems: [{ what: error.message, mend: fixHint(error) }], entities: [] };
  }
}

const checkFixHint = ({ status }: ConnectorCheck): string =>
  status === 'failed'
    ? 'Replace the credentials: delete the connector and create it with new ones, or PUT them to the service.'
    : 'The vendor could not be asked just now: try again.';

function formatReport(connectors: readonly Diagnosis[], { print }: CommandCall): string {
  const { bold, green, red, dim, yellow } = print.colours;
  const blocks = connectors.map((diagnosis) => {
    const { connector, ok, identity, problems, entities, clock_skew_seconds: skew, quota, scopes } = diagnosis as any;
    const lines = [
      `${ok ? green('✓') : red('✗')} ${bold(inLine(connector))}${identity ? dim(`  ${inLine(JSON.stringify(identity))}`) : ''}`,
      ...problems.flatMap(({ what, mend: advice }: { what: string; mend: string }) => [
        `  ${red(inLine(what))}`,
        `  ${yellow('→')} ${inLine(advice)}`,
      ]),
      ...entities.map(({ entity, status, reason }: Record<string, string>) => {
        const mark = status === 'ok' || status === 'succeeded' ? green('✓') : status === 'failed' ? red('✗') : dim('·');
        return `  ${mark} ${inLine(entity!)}${status === 'not_tried' ? dim(`  ${inLine(reason!)}`) : ''}`;
      }),
      ...(scopes?.granted ? [dim(`  scopes: ${inLine(scopes.granted.join(' '))}`)] : []),
      ...(typeof skew === 'number' ? [dim(`  clock: ${skew} s apart`)] : []),
      ...(quota ?? []).map(({ name, remaining, limit }: Record<string, unknown>) =>
        dim(inLine(`  quota: ${remaining}${limit === null ? '' : ` of ${limit}`} ${name} left`)),
      ),
    ];
    return lines.join('\n');
  });
  return `${blocks.join('\n\n') || dim('There are no connectors.')}\n`;
}
