import type { Inspection } from 'agent-connectors';
import type { Definition } from '../connectors/definitions.js';
import { readinessOf } from '../connectors/readiness.js';

/** What the service knows of a connector beyond its description. */
export const inspectionOf = (definition: Definition, hasCredentials: boolean): Inspection => ({
  mode: 'hosted',
  context_store_readiness: readinessOf(definition),
  warnings: hasCredentials ? [] : ['The connector has no credentials yet: nothing can be executed.'],
});
