import { nearest } from '../../call/nearest.js';
import type { ConnectorInspection, HostedConnector } from '../../hosted/wire.js';
import type { ActionDescription, ConnectorDescription, EntityDescription } from '../../manifest/describe.js';
import type { Call } from '../arguments/specification.js';
import { allClasses, classNamed } from '../definitions.js';
import { failure } from '../failure.js';
import { connectorPath, findHosted, isMissingRoute, openSession, type Session } from '../hosted.js';
import { hasCredentials, modeText } from '../local/credentials.js';
import { classAsked } from '../local/open.js';
import { modesOf } from '../local/variables.js';

/** What a connector can do: an outline, or with `entity` (and `action`) everything about that. */
export async function describeConnector(call: Call): Promise<void> {
  const { argument, flags, print } = call;
  if (flags.local) {
    const asked = argument.name !== undefined || argument.connector_type !== undefined;
    await print.result(asked ? await described(call) : await types(call));
    return;
  }
  const session = await openSession(call);
  const row = await findHosted(session, argument);
  const [description, inspection] = await Promise.all([
    remoteDescription(session, row, call.surroundings),
    session.get<ConnectorInspection>(`${connectorPath(row.id)}/inspect`).catch((error) => {
      if (isMissingRoute(error)) return undefined;
      throw error;
    }),
  ]);
  const outline = chosen(description, call);
  await print.result({
    ...{
      id: row.id,
      workspace_name: row.workspace_name,
      connector_type: row.connector_type,
      ...outline,
      name: row.name,
    },
    ...(inspection && { readiness: inspection.context_store_readiness, warnings: inspection.warnings }),
  });
}

async function described(call: Call): Promise<object> {
  const Class = await classAsked(call);
  const { env } = call.surroundings;
  const variables = modesOf(Class.manifest, Class.describe().auth).map((mode) => ({
    mode: mode.mode,
    variables: modeText(mode),
  }));
  return { ...chosen(Class.describe(), call), environment: { ready: hasCredentials(Class, env), modes: variables } };
}

/** Every type, and the variables that its credentials are taken from. */
async function types({ surroundings }: Call): Promise<object> {
  const { env } = surroundings;
  const data = (await allClasses(surroundings)).map((Class) => {
    const { name, title, description, auth } = Class.describe();
    const modes = modesOf(Class.manifest, auth);
    return { name, title, description, ready: hasCredentials(Class, env), variables: modes.map(modeText) };
  });
  return { data, hint: 'connectors describe --local \'{"name":"…"}\' shows what one can do.' };
}

/** As the service describes it; one that does not is taken to know what this version knows. */
async function remoteDescription(
  session: Session,
  { id, connector_type: type }: HostedConnector,
  surroundings: Call['surroundings'],
): Promise<ConnectorDescription> {
  try {
    return await session.get<ConnectorDescription>(`${connectorPath(id)}/describe`);
  } catch (error) {
    const Class = isMissingRoute(error) ? await classNamed(type, surroundings) : undefined;
    if (!Class) throw error;
    return Class.describe();
  }
}

function chosen(description: ConnectorDescription, { argument, flags }: Call): object {
  const { entity: entityName, action: actionName } = argument;
  const { entities, auth, ...head } = description;
  if (flags.full) return description;
  if (entityName === undefined) {
    return {
      ...head,
      entities: entities.map(outlined),
      hint: 'Pass entity, or entity and action, for parameters and schemas; --full gives all of it.',
    };
  }
  const entity = found(entities, entityName, 'unknown_entity', 'entity');
  if (actionName === undefined) return { ...head, entity };
  const { actions, record, search, ...rest } = entity;
  return { ...head, entity: { ...rest, actions: [found(actions, actionName, 'unknown_action', 'action')] } };
}

function outlined({ name, description, actions, search }: EntityDescription): object {
  return {
    name,
    description,
    actions: actions.map(outlinedAction),
    ...(search && { searchable: Object.keys(search.fields) }),
  };
}

function outlinedAction({ name, description, effect, hosted_only, params, example }: ActionDescription): object {
  const { properties = {}, required = [] } = params as { properties?: object; required?: string[] };
  const names = Object.keys(properties).map((each) => (required.includes(each) ? each : `${each}?`));
  return { name, description, effect, ...(hosted_only && { hosted_only }), params: names, example };
}

function found<T extends { readonly name: string }>(
  all: readonly T[],
  name: string,
  code: 'unknown_entity' | 'unknown_action',
  noun: string,
): T {
  const one = all.find((each) => each.name === name);
  if (one) return one;
  const names = all.map((each) => each.name);
  const close = nearest(name, names);
  throw failure(code, `There is no ${noun} of this name.${close ? ` Did you mean '${close}'?` : ''}`, {
    hint: `Valid: ${names.join(', ')}.`,
  });
}
