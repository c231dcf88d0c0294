import { isMissingRoute } from '../../hosted/errors.js';
import { connectorPath } from '../../hosted/service.js';
import type { Quota } from '../../manifest/setup.js';
import type { HostedConnector } from '../../wire/index.js';
import type { CommandCall } from '../arguments/specification.js';
import { classByName } from '../definitions.js';
import { asConnectorError } from '../failure.js';
import { connectorsIn, findHosted, openSession, type Session, transportTo } from '../hosted.js';
import { classesWithCredentials } from '../local/credentials.js';
import { type Diagnosis, diagnose, examine } from '../local/diagnose.js';
import { fixHint } from '../local/fix-hint.js';
import { identityText } from '../local/identity.js';
import { type Observer, observe } from '../local/observer.js';
import { requestedClass } from '../local/open.js';
import { wrapText } from '../output/cell.js';
import { inLine } from '../output/colour.js';
import { withSpinner } from '../output/progress.js';

/** Diagnoses what works, what does not, and how to fix it. */
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
  const classes = isNamed ? [await requestedClass(call)] : await classesWithCredentials(environment);
  return { connectors: await Promise.all(classes.map((Class) => diagnose(Class, call))) };
}

async function diagnoseHosted(call: CommandCall): Promise<Findings> {
  const { argument, environment } = call;
  const observer = observe(environment.fetch);
  const session = await openSession({ ...call, environment: { ...environment, fetch: observer.fetch } });
  const me = await session.client.me();
  const isNamed = argument.name !== undefined || argument.id !== undefined;
  const rows = isNamed
    ? [await findHosted(session, argument)]
    : await connectorsIn(session, argument.workspace ?? session.workspace);
  const connectors: Diagnosis[] = [];
  for (const row of rows) connectors.push(await diagnoseConnector(session, row, observer, call));
  return { service: { base_url: session.baseUrl, ...me }, connectors };
}

async function diagnoseConnector(
  session: Session,
  row: HostedConnector,
  observer: Observer,
  call: CommandCall,
): Promise<Diagnosis> {
  const { id, name, connector_type, workspace_name, replication_config } = row;
  const head = { connector: name, id, connector_type, workspace_name };
  try {
    const { context_store_readiness, warnings } = await session.client.connectors.inspect(id);
    const readiness = context_store_readiness.entities;
    const stored = [
      ...syncProblems(readiness),
      ...warnings.map((problem) => ({
        problem,
        fix: 'Store them: agent-connectors connectors update - < changes.json.',
      })),
    ];
    const Class = await classByName(connector_type, call.environment);
    const config = replication_config ?? undefined;
    const findings = Class
      ? await examine(
          {
            Class,
            connector: new Class({ transport: transportTo(session, id) }),
            credentials: {},
            observer,
            peer: 'service',
            config,
          },
          call,
        )
      : await checkOnly(session, id);
    const problems = [...findings.problems, ...stored];
    const quota = [...findings.quota, ...(await vendorQuota(session, id))];
    return { ...head, ok: problems.length === 0, ...findings, quota, problems, readiness };
  } catch (thrown) {
    call.environment.signal.throwIfAborted();
    const error = asConnectorError(thrown);
    return {
      ...head,
      ok: false,
      problems: [{ problem: error.message, fix: fixHint(error, call.flags) }],
      entities: [],
    };
  }
}

/** The vendor's limits as last reported to the service; undefined if the service does not return them. */
async function vendorQuota(session: Session, id: string): Promise<Quota[]> {
  const { reported } = await session.get<{ reported: Quota[] }>(`${connectorPath(id)}/quota`).catch((error) => {
    if (isMissingRoute(error)) return { reported: [] };
    throw error;
  });
  return reported.map(({ name, remaining, limit }) => ({ name, remaining, limit }));
}

/** Failed syncs: one problem per cause, which entities often share. */
function syncProblems(readiness: ReadonlyArray<{ entity: string; status: string; error: string | null }>) {
  const failed = readiness.filter(({ status }) => status === 'failed');
  return [...new Set(failed.map(({ error }) => error))].map((cause) => {
    const entities = failed.flatMap(({ entity, error }) => (error === cause ? [entity] : []));
    return {
      problem: `The last sync of ${entities.join(', ')} failed: ${cause ?? 'unknown reason'}`,
      fix: 'Fix the cause, then run agent-connectors connectors sync.',
    };
  });
}

/** The service's own check, for a type unknown to this version. */
async function checkOnly({ client }: Session, id: string) {
  const { status, error_message, entity_check_results: entities } = await client.connectors.check(id);
  const fix =
    status === 'failed'
      ? 'Replace the credentials: agent-connectors connectors update - < changes.json.'
      : 'The vendor could not be reached: retry later.';
  const problems = status === 'succeeded' ? [] : [{ problem: error_message ?? status, fix }];
  return { problems, quota: [], entities };
}

function formatReport(connectors: readonly Diagnosis[], { print, environment }: CommandCall): string {
  const { bold, green, red, dim, yellow } = print.colours;
  const fold = (text: string, indent: number) =>
    wrapText(inLine(text), environment.stdout.columns || 80, ' '.repeat(indent)).trimStart();
  const blocks = connectors.map((diagnosis) => {
    const { connector, ok, identity, problems, entities, clock_skew_seconds: skew, quota, scopes } = diagnosis as any;
    const lines = [
      `${ok ? green('✓') : red('✗')} ${bold(inLine(connector))}${identity ? dim(`  ${inLine(identityText(identity))}`) : ''}`,
      ...problems.flatMap(({ problem, fix: advice }: { problem: string; fix: string }) => [
        `  ${red(fold(problem, 2))}`,
        `  ${yellow('→')} ${fold(advice, 4)}`,
      ]),
      ...entities.map(({ entity, status, reason }: Record<string, string>) => {
        const mark = status === 'ok' || status === 'succeeded' ? green('✓') : status === 'failed' ? red('✗') : dim('·');
        const name = inLine(entity!);
        const isUntried = status === 'not_tried' || status === 'inconclusive';
        return `  ${mark} ${name}${isUntried ? dim(fold(`${name}  ${reason}`, 4).slice(name.length)) : ''}`;
      }),
      ...(scopes?.granted ? [dim(`  scopes: ${inLine(scopes.granted.join(' '))}`)] : []),
      ...(typeof skew === 'number' ? [dim(`  clock: ${skew} s apart`)] : []),
      ...(quota ?? []).map(({ name, remaining, limit }: Record<string, unknown>) =>
        dim(inLine(`  quota: ${remaining}${limit === null ? '' : ` of ${limit}`} ${name} left`)),
      ),
    ];
    return lines.join('\n');
  });
  return `${blocks.join('\n\n') || dim('No connectors.')}\n`;
}
