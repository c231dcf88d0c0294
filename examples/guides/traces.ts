import * as api from '@opentelemetry/api';
import { LinearConnector } from 'agent-connectors/linear';
import { traced } from 'agent-connectors/telemetry';

const TracedLinear = traced(LinearConnector, api);
const linear = new TracedLinear({ credentials: { api_key: process.env.LINEAR_API_KEY ?? '' } });

await linear.issues.list({ first: 10 });
