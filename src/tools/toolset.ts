import type { AnyConnector, Inspection } from '../any-connector.js';
import { type Policy, policyOf } from '../call/policy.js';
import { ConnectorError } from '../errors/connector-error.js';
import { quoted, suggestion } from '../errors/nearest.js';
import type { ActionDescription, ConnectorDescription, EntityDescription } from '../manifest/describe.js';
import type { Manifest } from '../manifest/manifest.js';
import { type SkillDocs, toolDocs } from './skill-docs.js';

/** A connector to create tools from. */
export interface ToolConnector extends AnyConnector {
  /** Called when the tools' permissions deny an action. */
  onDenied?(entity: string, action: string): void;
  /** True if a policy requires approval of the write elsewhere, so that an MCP client's user is not asked too. */
  approvedElsewhere?(entity: string, action: string): Promise<boolean>;
}

/**
 * One connector, several, or several under names of your own. Calls use these names, as slugs if they contain more than
 * letters, digits, `_` and `-`.
 */
export type ToolConnectors = ToolConnector | readonly ToolConnector[] | Readonly<Record<string, ToolConnector>>;

/** What the tools allow, in addition to the connectors' own policies. */
export interface Permissions {
  readonly readOnly: boolean;
  readonly allow: readonly string[] | undefined;
}

/** Configured values by parameter. */
export type KnownParameters = Readonly<Record<string, readonly string[]>>;

/** A connector in a toolset. */
export interface Member {
  /** Its name in calls. */
  readonly key: string;
  /** Its original name; differs from `key` only if it contains other characters. */
  readonly name: string;
  readonly connector: ToolConnector;
  readonly policy: Policy;
  readonly fullDescription: ConnectorDescription;
  /** The description without denied actions, and without searches if there is nothing to search. */
  readonly allowed: ConnectorDescription;
  docs(): Promise<SkillDocs>;
  /** False if the connector reports that no service provides search for it. */
  searchable(): Promise<boolean>;
  /** Configured values of parameters. */
  known(): Promise<KnownParameters>;
}

/** A member's action, as specified by a call. */
export interface Target {
  readonly member: Member;
  readonly entity: EntityDescription;
  readonly action: ActionDescription;
}

const isConnector = (value: ToolConnectors): value is ToolConnector =>
  typeof (value as ToolConnector).execute === 'function' && typeof (value as ToolConnector).describe === 'function';

/** Resolves a toolset's connectors. Rejects patterns that match nothing, since they would silently deny actions. */
export function membersOf(connectors: ToolConnectors, permissions: Permissions): readonly Member[] {
  const given = isConnector(connectors) ? [connectors] : connectors;
  const entries = Array.isArray(given)
    ? (given as readonly ToolConnector[]).map((connector) => ({ connector, fullDescription: connector.describe() }))
    : Object.entries(given as Readonly<Record<string, ToolConnector>>).map(([key, connector]) => ({
        key,
        connector,
        fullDescription: connector.describe(),
      }));
  const named = entries.map(({ key, ...entry }: { key?: string; connector: ToolConnector; fullDescription: any }) => ({
    ...entry,
    key: key ?? (entry.fullDescription.name as string),
  }));
  const names = named.map(({ key }) => key);
  const duplicate = names.find((name, at) => names.indexOf(name) !== at);
  const problem =
    names.length === 0
      ? 'no connector was passed'
      : duplicate !== undefined
        ? `two connectors are named ${quoted(duplicate)}; pass them as { <name>: connector }`
        : undefined;
  if (problem) throw new ConnectorError('invalid_params', `Agent tools: ${problem}.`);
  const policies = policiesOf(
    named.map(({ fullDescription }) => fullDescription),
    permissions,
  );
  const keys = keysOf(names);
  return named.map(({ key: name, connector, fullDescription }, at) => ({
    ...memberOf(keys[at]!, connector, fullDescription, policies[at]!, names.length > 1),
    name,
  }));
}

const plainName = /^[\w-]{1,64}$/;

/** Names that calls can use: a name with other characters becomes a slug, with a number if the slug is taken. */
function keysOf(names: readonly string[]): string[] {
  const taken = new Set(names.filter((name) => plainName.test(name)));
  return names.map((name) => {
    if (plainName.test(name)) return name;
    const words = name.toLowerCase().match(/\w+/g) ?? ['connector'];
    const slug = words.join('-').slice(0, 56);
    let key = slug;
    for (let number = 2; taken.has(key); number++) key = `${slug}-${number}`;
    taken.add(key);
    return key;
  });
}

// These values are external but shown without a fence.
const plainValue = /^[\w.-]{1,64}$/;

const maxValues = 20;

/** Omits values that could be read as words. */
export const plainKnown = (known: KnownParameters = {}): KnownParameters =>
  Object.fromEntries(
    Object.entries(known).flatMap(([name, values]) => {
      const plain = values.filter((value) => plainValue.test(value)).slice(0, maxValues);
      return plain.length > 0 ? [[name, plain]] : [];
    }),
  );

/** Whether a connector's inspection says that search is possible. */
export const canSearch = ({ mode, context_store_readiness }: Inspection): boolean =>
  mode !== 'local' || context_store_readiness !== null;

function memberOf(
  key: string,
  connector: ToolConnector,
  fullDescription: ConnectorDescription,
  policy: Policy,
  isNamed: boolean,
): Omit<Member, 'name'> {
  const allowed = {
    ...fullDescription,
    entities: fullDescription.entities.flatMap((entity) => permittedEntities(entity, policy, connector.searchable)),
  };
  let docs: Promise<SkillDocs> | undefined;
  let reported: Promise<Inspection | undefined> | undefined;
  const inspected = () => {
    reported ??= Promise.resolve(connector.inspect?.()).catch(() => {
      reported = undefined;
      return undefined;
    });
    return reported;
  };
  return {
    key,
    connector,
    policy,
    fullDescription,
    allowed,
    docs: () => {
      docs ??= Promise.resolve(connector.guide?.())
        .then((guide) => toolDocs(allowed, guide ?? '', isNamed ? key : undefined))
        .catch((error) => {
          docs = undefined;
          throw error;
        });
      return docs;
    },
    searchable: async () => {
      const found = await inspected();
      return found === undefined || canSearch(found);
    },
    known: async () => plainKnown((await inspected())?.known_parameters),
  };
}

function permittedEntities(entity: EntityDescription, policy: Policy, searchable = true): EntityDescription[] {
  const actions = entity.actions.filter(({ name, effect, hosted_only }) => {
    if (hosted_only && !searchable) return false;
    try {
      policy.check(entity.name, name, effect);
      return true;
    } catch {
      return false;
    }
  });
  return actions.length > 0 ? [{ ...entity, actions }] : [];
}

function policiesOf(all: readonly ConnectorDescription[], { readOnly, allow }: Permissions): Policy[] {
  const manifests = all.map(({ title, entities }) => {
    const names = entities.map(({ name, actions }) => [
      name,
      { actions: Object.fromEntries(actions.map((action) => [action.name, action])) },
    ]);
    return { title, entities: Object.fromEntries(names) } as unknown as Manifest;
  });
  const faults = new Map<string, unknown[]>();
  const policies = manifests.map((form) => {
    const matching = allow?.filter((pattern) => {
      try {
        policyOf(form, false, [pattern]);
        return true;
      } catch (error) {
        faults.set(pattern, [...(faults.get(pattern) ?? []), error]);
        return false;
      }
    });
    return policyOf(form, readOnly, matching);
  });
  for (const found of faults.values()) if (found.length === all.length) throw found[0];
  return policies;
}

/** Finds the connector that a call specifies. */
export function findMember(members: readonly Member[], key: string | undefined): Member {
  const [first] = members;
  if (key === undefined && members.length === 1) return first!;
  const found = members.find((member) => member.key === key) ?? members.find(({ name }) => name === key);
  if (found) return found;
  const lowerCase = key?.toLowerCase();
  const similar = members.filter((member) =>
    [member.key, member.name].some((name) => name.toLowerCase() === lowerCase),
  );
  if (similar.length === 1) return similar[0]!;
  const keys = members.map((member) => member.key);
  const problem = key === undefined ? 'connector is required.' : `Unknown connector ${quoted(key)}.`;
  throw new ConnectorError('invalid_params', `${problem} ${suggestion(key, keys, 'connectors')}`, {
    issues: [{ path: 'connector', message: key === undefined ? 'is required' : 'is unknown' }],
  });
}

/** Finds the action that a call specifies, if it exists and is allowed. */
export function findTarget(member: Member, entityName: string, actionName: string): Target {
  const { fullDescription, allowed, policy } = member;
  const known = fullDescription.entities.find(({ name }) => name === entityName);
  if (!known) {
    const names = allowed.entities.map(({ name }) => name);
    const message = `${fullDescription.title} has no entity ${quoted(entityName)}. ${suggestion(entityName, names, 'entities')}`;
    throw new ConnectorError('unknown_entity', message);
  }
  const action = known.actions.find(({ name }) => name === actionName);
  const permittedActions = allowed.entities.find(({ name }) => name === entityName)?.actions ?? [];
  if (!action) {
    const names = permittedActions.map(({ name }) => name);
    const message = `${fullDescription.title}'s ${entityName} have no action ${quoted(actionName)}. ${suggestion(actionName, names, 'actions')}`;
    throw new ConnectorError('unknown_action', message);
  }
  try {
    policy.check(entityName, actionName, action.effect);
  } catch (error) {
    member.connector.onDenied?.(entityName, actionName);
    throw error;
  }
  return { member, entity: known, action };
}
