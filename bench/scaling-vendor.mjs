// The vendors for bench/scaling.mjs: a sandbox without limits, in its own process.
import { createSandbox } from 'agent-connectors-sandbox';
import { serve } from 'agent-connectors-sandbox/server';

const sandbox = createSandbox({ seed: 7, scale: 1 });
sandbox.vendors.linear.limits = { requestsPerHour: 1e9, complexityPerHour: 1e12 };
const { port } = await serve({ sandbox });
const { api_key } = sandbox.vendors.linear.credentials.api_key;
process.send?.({ port, api_key });
process.on('disconnect', () => process.exit());
