import type { ConnectorDescription, ConnectorOptions, Manifest, Pages } from 'agent-connectors';
import type { Sandbox } from 'agent-connectors-sandbox';

/** What the suite needs of a vendor's emulation. */
export type EmulatedVendor = Pick<Sandbox, 'fetch' | 'faults' | 'requests' | 'dump'>;

/** What the suite calls on a connector. */
export interface TestedConnector {
  execute(entity: any, action: any, ...rest: any[]): Promise<{ readonly data: any; readonly meta: any }>;
  describe(): ConnectorDescription<any>;
  paginate(entity: any, action: any, ...rest: any[]): Pages<unknown, unknown>;
}

/** A connector's class, whichever it is. */
export interface TestedClass {
  readonly manifest: Manifest;
  describe(): ConnectorDescription<any>;
  /** Any options: each connector has some of its own. */
  new (options?: any): TestedConnector;
}

/** Ways in which a vendor's page can mislead. */
type PageFault = 'half_page' | 'endless_cursor' | 'null_cursor';

/** How the lists of a vendor come in pages: as large as a parameter says, or as the vendor itself decides. */
type Paging<S extends EmulatedVendor = EmulatedVendor> = {
  /** The most records that a page can hold. */
  readonly largest: number;
  /** The faults that its pages can have; all when left out. */
  readonly faults?: readonly PageFault[];
} & ({ readonly parameter: string } | { readonly resize: (sandbox: S, size: number) => void });

/** One connector, and what the suite cannot find out by itself. */
export interface Subject<C extends TestedClass = TestedClass, S extends EmulatedVendor = EmulatedVendor> {
  readonly Connector: C;
  /** A vendor with data of its own; the same data every time. */
  readonly sandbox: () => S;
  readonly credentials: (sandbox: S) => Readonly<Record<string, string>>;
  /** For each `entity.action`, parameters that it succeeds with. */
  readonly params: Readonly<Record<string, (connector: InstanceType<C>, sandbox: S) => object | Promise<object>>>;
  /** How lists come in pages; left out where none does. */
  readonly pages?: Paging<S>;
  /** Lists, as `entity.action`, that come whole although the contract gives their meta a cursor, which is always null. */
  readonly whole?: readonly string[];
  /** The connector's folder, where its guide is. */
  readonly folder: URL;
}

/** One action that reaches the vendor, by its names. */
export interface LocalAction {
  readonly where: string;
  readonly entity: string;
  readonly action: string;
  readonly reads: boolean;
  readonly paginated: boolean;
  /** Whether it gives a stream of bytes. */
  readonly binary: boolean;
}

/** Every action that runs without a service. */
export const localActions = ({ Connector }: Subject): LocalAction[] =>
  Connector.describe().entities.flatMap(({ name: entity, actions }) =>
    actions
      .filter(({ hosted_only }) => !hosted_only)
      .map(({ name: action, effect, paginated, binary }) => ({
        where: `${entity}.${action}`,
        entity,
        action,
        reads: effect === 'read',
        paginated,
        binary,
      })),
  );

/** Whether a good reply to an action has no body at all, so that no fault can be in it. */
export async function isBodiless(subject: Subject, tried: LocalAction): Promise<boolean> {
  if (tried.reads) return false;
  const { sandbox, run } = await trial(subject, tried);
  await run();
  return sandbox.requests.at(-1)!.status === 204;
}

/** Actions as rows of a table of tests, each by its name. */
export const byName = <A extends LocalAction>(actions: readonly A[]) =>
  actions.map((action): [string, A] => [action.where, action]);

/** One action about to be run: on a vendor of its own, with parameters that fit its data. */
export interface Trial {
  readonly sandbox: EmulatedVendor;
  readonly connector: TestedConnector;
  readonly params: object;
  /** Runs it to its end; what it streams is read, and is text then. */
  readonly run: (options?: object) => Promise<{ data: any; meta: any }>;
}

/** Prepares an action, so that whatever is recorded from here on belongs to its call. */
export async function trial(
  subject: Subject,
  { where, entity, action, binary }: LocalAction,
  options: ConnectorOptions<any> = {},
): Promise<Trial> {
  const sandbox = subject.sandbox();
  const credentials = subject.credentials(sandbox);
  const given = subject.params[where];
  if (!given) throw new Error(`No parameters to try ${where} with.`);
  const params = await given(new subject.Connector({ credentials, fetch: sandbox.fetch }), sandbox);
  sandbox.requests.clear();
  // A fetch of its own has a line of its own: what the preparation used up is not waited for.
  const fetch: typeof globalThis.fetch = (input, init) => sandbox.fetch(input, init);
  const connector = new subject.Connector({ credentials, fetch, ...options });
  const run: Trial['run'] = async (more) => {
    const result = await connector.execute(entity, action, params, more);
    return binary ? { ...result, data: await new Response(result.data).text() } : result;
  };
  return { sandbox, connector, params, run };
}
