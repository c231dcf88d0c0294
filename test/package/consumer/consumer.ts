import { ConnectorError, connectors } from 'agent-connectors';
import { type Issue, LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { type SandboxServer, serve } from 'agent-connectors-sandbox/server';

const sandbox = createSandbox();
const linear = new LinearConnector({ credentials: sandbox.vendors.linear.credentials.api_key, fetch: sandbox.fetch });

const { data } = await linear.execute('issues', 'list', { first: 10 });
export const issues: Issue[] = data;

// @ts-expect-error An action that the entity does not have.
await linear.execute('issues', 'lisp').catch((error: unknown) => ConnectorError.is(error) && error.code);

// @ts-expect-error A parameter of the wrong type.
export const wrong = () => linear.execute('issues', 'list', { first: 'ten' });

export const server: Promise<SandboxServer> = serve({ sandbox });
export const Loaded: typeof LinearConnector = await connectors.linear();
