import { nearest } from '../../errors/nearest.js';
import { isMissingRoute } from '../../hosted/errors.js';
import { connectorPath } from '../../hosted/service.js';
import type { ActionDescription, ConnectorDescription, EntityDescription } from '../../manifest/describe.js';
import { formsOf } from '../../tools/schema.js';
import type { ConnectorInspection, HostedConnector } from '../../wire/index.js';
import type { CommandCall } from '../arguments/specification.js';
import { allClasses, classByName } from '../definitions.js';
import { failure } from '../failure.js';
import { findHosted, openSession, type Session } from '../hosted.js';
import { hasCredentials, modeText } from '../local/credentials.js';
import { requestedClass } from '../local/open.js';
import { modesOf } from '../local/variables.js';
import { wrapText } from '../output/cell.js';
import { inLine } from '../output/colour.js';
import type { Printer } from '../output/printer.js';

/** Describes a connector: an outline, or all details of an `entity` (and `action`). */
export async function describeConnector(call: CommandCall): Promise<void> {
  const { argument, flags, print } = call;
  if (flags.local) {
    const hasType = argument.name !== undefined || argument.connector_type !== undefined;
    if (hasType && print.pretty && !flags.full) {
      const name = argument.name ?? argument.connector_type;
      return print.text(readableText(name, (await requestedClass(call)).describe(), call));
    }
    await print.result(hasType ? await describeLocal(call) : await listTypes(call));
    return;
  }
  const session = await openSession(call);
  const row = await findHosted(session, argument);
  const [description, inspection] = await Promise.all([
    remoteDescription(session, row, call.environment),
    session.get<ConnectorInspection>(`${connectorPath(row.id)}/inspect`).catch((error) => {
      if (isMissingRoute(error)) return undefined;
      throw error;
    }),
  ]);
  const outline = selectDescription(description, call);
  if (print.pretty && !flags.full) return print.text(readableText(row.name, description, call));
  await print.result({
    id: row.id,
    workspace_name: row.workspace_name,
    connector_type: row.connector_type,
    ...outline,
    name: row.name,
    ...(inspection && { readiness: inspection.context_store_readiness, warnings: inspection.warnings }),
  });
}

async function describeLocal(call: CommandCall): Promise<object> {
  const Class = await requestedClass(call);
  const { env } = call.environment;
  const variables = modesOf(Class.manifest, Class.describe().auth).map((mode) => ({
    mode: mode.mode,
    variables: modeText(mode),
  }));
  return {
    ...selectDescription(Class.describe(), call),
    environment: { ready: hasCredentials(Class, env), modes: variables },
  };
}

/** All types and their credential variables. */
async function listTypes({ environment }: CommandCall): Promise<object> {
  const { env } = environment;
  const data = (await allClasses(environment)).map((Class) => {
    const { name, title, description, auth } = Class.describe();
    const modes = modesOf(Class.manifest, auth);
    return { name, title, description, ready: hasCredentials(Class, env), variables: modes.map(modeText) };
  });
  return { data, hint: 'connectors describe --local \'{"name":"…"}\' describes one connector.' };
}

/** The service's description; an older service is assumed to support what this version does. */
async function remoteDescription(
  session: Session,
  { id, connector_type: type }: HostedConnector,
  environment: CommandCall['environment'],
): Promise<ConnectorDescription> {
  try {
    return await session.get<ConnectorDescription>(`${connectorPath(id)}/describe`);
  } catch (error) {
    const Class = isMissingRoute(error) ? await classByName(type, environment) : undefined;
    if (!Class) throw error;
    return Class.describe();
  }
}

function selectDescription(description: ConnectorDescription, { argument, flags }: CommandCall): object {
  const { entity: entityName, action: actionName } = argument;
  const { entities, auth, ...head } = description;
  if (flags.full) return description;
  if (entityName === undefined) {
    return {
      ...head,
      entities: entities.map(outlineEntity),
      hint: 'Pass entity, or entity and action, for parameters and schemas; --full prints everything.',
    };
  }
  const entity = findByName(entities, entityName, 'unknown_entity', 'entity');
  if (actionName === undefined) return { ...head, entity };
  const { actions, record, search, ...rest } = entity;
  return { ...head, entity: { ...rest, actions: [findByName(actions, actionName, 'unknown_action', 'action')] } };
}

/** A connector's outline or, if an entity is requested, its actions with what each parameter is. */
function readableText(name: string, description: ConnectorDescription, { argument, print }: CommandCall): string {
  if (argument.entity === undefined) return outlineText(name, description, print);
  const { actions, ...entity } = findByName(description.entities, argument.entity, 'unknown_entity', 'entity');
  const shown =
    argument.action === undefined ? actions : [findByName(actions, argument.action, 'unknown_action', 'action')];
  const heading = `${print.colours.bold(entity.name)}\n${wrapText(entity.description, 80, '  ')}`;
  return `${[heading, ...shown.map((action) => actionText(action, print))].join('\n\n')}\n`;
}

/** An action with its parameters, one a line. */
function actionText(action: ActionDescription, { colours: { bold, dim, yellow } }: Printer): string {
  const note = action.effect === 'read' ? '' : ` ${yellow(`[${action.effect}]`)}`;
  const forms = formsOf(action.params);
  const { params } = outlineAction(action);
  const width = Math.min(28, Math.max(0, ...params.map((label) => label.length)));
  const lines = params.map((label) => {
    const schema = forms.map(({ properties }) => properties?.[label.replace(/\?$/, '')]).find(Boolean);
    const text = wrapText(String(schema?.description ?? schema?.type ?? ''), 80, ' '.repeat(width + 6)).trimStart();
    return `    ${label.padEnd(width)}  ${dim(text)}`.trimEnd();
  });
  return [`  ${bold(action.name)}${note}`, wrapText(action.description, 80, '    '), ...lines].join('\n');
}

/** Readable outline of entities and actions: parameters, and whether data is changed. */
function outlineText(
  name: string,
  { title, description, entities }: ConnectorDescription,
  { colours }: Printer,
): string {
  const { bold, dim, yellow } = colours;
  const outlined = (action: ActionDescription) => {
    const { name, effect, params } = outlineAction(action);
    const note = effect === 'read' ? '' : ` ${yellow(`[${effect}]`)}`;
    const parameters = params.length > 0 ? `\n${dim(wrapText(params.join(', '), 80, '      '))}` : '';
    return `  ${name}${note}${parameters}\n`;
  };
  const blocks = entities.map(
    (entity) =>
      `${bold(entity.name)}\n${wrapText(entity.description, 80, '  ')}\n${entity.actions.map(outlined).join('')}`,
  );
  const heading = `${bold(inLine(name))}  ${title}\n${wrapText(description, 80)}`;
  const hint = 'Pass entity, or entity and action, for parameters and schemas. A ? marks optional parameters.';
  return `${[heading, ...blocks.map((block) => block.trimEnd()), wrapText(hint, 80)].join('\n\n')}\n`;
}

function outlineEntity({ name, description, actions, search }: EntityDescription): object {
  return {
    name,
    description,
    actions: actions.map(outlineAction),
    ...(search && { searchable: Object.keys(search.fields) }),
  };
}

function outlineAction({ name, description, effect, hosted_only, params, example }: ActionDescription) {
  const forms = formsOf(params);
  const isRequired = (key: string) => forms.every(({ required = [] }) => required.includes(key));
  const keys = new Set(forms.flatMap(({ properties = {} }) => Object.keys(properties)));
  const names = [...keys].map((key) => (isRequired(key) ? key : `${key}?`));
  return { name, description, effect, ...(hosted_only && { hosted_only }), params: names, example };
}

function findByName<T extends { readonly name: string }>(
  all: readonly T[],
  name: string,
  code: 'unknown_entity' | 'unknown_action',
  noun: string,
): T {
  const one = all.find((each) => each.name === name);
  if (one) return one;
  const names = all.map((each) => each.name);
  const close = nearest(name, names);
  throw failure(code, `Unknown ${noun}.${close ? ` Did you mean '${close}'?` : ''}`, {
    hint: `Valid: ${names.join(', ')}.`,
  });
}
