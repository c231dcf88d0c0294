import type { ConnectorDescription, ConnectorOptions, Manifest, Pages, Result } from 'agent-connectors';
import type { Sandbox } from '../types.js';

/** What the suite needs from the emulated vendor, provided by a sandbox. */
export type EmulatedVendor = Pick<Sandbox, 'fetch' | 'faults' | 'requests' | 'dump'>;

/** The parts of a connector that the suite uses. */
export interface TestedConnector {
  /** Runs an action. */
  execute(entity: any, action: any, ...rest: any[]): Promise<Result<any, any>>;
  /** Describes the connector. */
  describe(): ConnectorDescription<any>;
  /** Iterates over a list. */
  paginate(entity: any, action: any, ...rest: any[]): Pages<unknown, unknown>;
}

/** The class of any connector, as returned by `connector({ … })`. */
export interface TestedClass {
  /** The manifest. */
  readonly manifest: Manifest;
  /** Describes the connector. */
  describe(): ConnectorDescription<any>;
  /** Creates a connector; the options differ between connectors. */
  new (options?: any): TestedConnector;
}

/** A fault that corrupts a page of a list. */
export type PageFault = 'half_page' | 'endless_cursor' | 'null_cursor';

/** How a vendor paginates its lists: the page size is a parameter, or is set by the vendor itself. */
export type Paging<S extends EmulatedVendor = EmulatedVendor> = {
  /** Maximum page size, or any size at least as large as every list in the test data. */
  readonly maxSize: number;
  /** Page faults that the emulation supports; all by default. */
  readonly faults?: readonly PageFault[];
} & (
  | {
      /** Name of the parameter that sets the page size. */
      readonly sizeParameter: string;
    }
  | {
      /** Makes the emulated vendor return pages of this size. */
      readonly setSize: (sandbox: S, size: number) => void;
    }
);

/** A connector to test, with the information that the suite cannot derive from its manifest. */
export interface Subject<C extends TestedClass = TestedClass, S extends EmulatedVendor = EmulatedVendor> {
  /** The connector's class. */
  readonly Connector: C;
  /**
   * Creates an emulated vendor. It must contain the same data each time: pass a fixed `seed` and `now`. Each list should
   * have at least three records, so that it spans several pages.
   */
  readonly sandbox: () => S;
  /** Valid credentials with all permissions. */
  readonly credentials: (sandbox: S) => Readonly<Record<string, string>>;
  /** For each `entity.action`, parameters that succeed. Ids can be looked up with the connector passed in. */
  readonly params: Readonly<Record<string, (connector: InstanceType<C>, sandbox: S) => object | Promise<object>>>;
  /** Additional information about parameters; each parameter must change the request. */
  readonly parameters?: {
    /** Valid values by name or path, such as `filter.fromDate`, if the schema is not specific enough. */
    readonly values?: Readonly<Record<string, unknown>>;
    /**
     * For each `entity.action`, parameters that do not appear in any request or have only one value, with the reason.
     */
    readonly unsent?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
  /** How lists are paginated; omit this if none are. */
  readonly pages?: Paging<S>;
  /** Lists, as `entity.action`, that return a cursor in meta but are never paginated. */
  readonly unpaginated?: readonly string[];
  /** The connector's guide, a Markdown file that mentions every entity. */
  readonly guide?: URL;
}

/** An action that calls the vendor. */
export interface LocalAction {
  readonly label: string;
  readonly entity: string;
  readonly action: string;
  readonly reads: boolean;
  readonly paginated: boolean;
  /** Whether it returns a byte stream. */
  readonly binary: boolean;
}

/** All actions that run without a service. */
export const localActions = ({ Connector }: Subject): LocalAction[] =>
  Connector.describe().entities.flatMap(({ name: entity, actions }) =>
    actions
      .filter(({ hosted_only }) => !hosted_only)
      .map(({ name: action, effect, paginated, binary }) => ({
        label: `${entity}.${action}`,
        entity,
        action,
        reads: effect === 'read',
        paginated,
        binary,
      })),
  );

/**
 * Every write, and one read for each way of calling the vendor. Retries, timeouts and errors are implemented once per
 * way, not once per action.
 */
export async function sampleActions(subject: Subject): Promise<LocalAction[]> {
  const actions = localActions(subject);
  const readsByTransport = new Map<string, LocalAction>();
  for (const localAction of actions.filter(({ reads }) => reads)) {
    const transport = await transportOf(subject, localAction);
    if (!readsByTransport.has(transport)) readsByTransport.set(transport, localAction);
  }
  const sampledReads = new Set(readsByTransport.values());
  return actions.filter((localAction) => !localAction.reads || sampledReads.has(localAction));
}

/** How an action calls the vendor: the methods of its requests, whether they are GraphQL, and what it returns. */
async function transportOf(subject: Subject, localAction: LocalAction): Promise<string> {
  const { sandbox, run } = await prepareTrial(subject, localAction);
  await run();
  const requests = sandbox.requests.map(({ method, rootField }) => (rootField === undefined ? method : 'GraphQL'));
  return JSON.stringify([requests, localAction.binary, localAction.paginated]);
}

/** Whether a successful response to an action has no body, so body faults have no effect. */
export async function isBodiless(subject: Subject, localAction: LocalAction): Promise<boolean> {
  if (localAction.reads) return false;
  const { sandbox, run } = await prepareTrial(subject, localAction);
  await run();
  return sandbox.requests.at(-1)!.status === 204;
}

/** Actions as rows of a test table, by name. */
export const asTableRows = <A extends LocalAction>(actions: readonly A[]) =>
  actions.map((action): [string, A] => [action.label, action]);

/** An action ready to run on its own emulated vendor, with parameters that match the vendor's data. */
export interface Trial {
  readonly sandbox: EmulatedVendor;
  readonly connector: TestedConnector;
  readonly params: object;
  /** Runs the action to completion; a stream is read and returned as text. */
  readonly run: (options?: object) => Promise<{ data: any; meta: any }>;
}

/** Prepares an action so that everything recorded from now on belongs to its call. */
export async function prepareTrial(
  subject: Subject,
  { label, entity, action, binary }: LocalAction,
  options: ConnectorOptions<any> = {},
): Promise<Trial> {
  const sandbox = subject.sandbox();
  const credentials = subject.credentials(sandbox);
  const paramsOf = subject.params[label];
  if (!paramsOf) throw new Error(`Parameters for '${label}' are missing. Add them to the subject's \`params\`.`);
  const params = await paramsOf(new subject.Connector({ credentials, fetch: sandbox.fetch }), sandbox);
  sandbox.requests.clear();
  // Rate limits are tracked per fetch: the calls that prepared the parameters must not delay the tested one.
  const fetch: typeof globalThis.fetch = (input, init) => sandbox.fetch(input, init);
  const connector = new subject.Connector({ credentials, fetch, ...options });
  const run: Trial['run'] = async (more) => {
    const result = await connector.execute(entity, action, params, more);
    return binary ? { ...result, data: await new Response(result.data).text() } : result;
  };
  return { sandbox, connector, params, run };
}
