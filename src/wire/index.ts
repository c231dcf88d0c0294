/**
 * Zod schemas and types of the bodies that the service's HTTP API accepts and returns.
 * @module agent-connectors/wire
 */

export type { ActionDescription, ConnectorDescription, EntityDescription } from '../manifest/describe.js';
export { type Gap, GapResponse } from '../search/gap.js';
export * from './account.js';
export * from './changes.js';
export * from './clients.js';
export * from './connectors.js';
export * from './console.js';
export * from './execute.js';
export {
  DeletedResponse,
  isPlainText,
  type List,
  list,
  newPathLabel,
  type Page,
  type RequestOf,
  type ResponseOf,
} from './fields.js';
export * from './governance.js';
export * from './operations.js';
export * from './replica.js';
export * from './search.js';
export * from './setup.js';
export * from './webhooks.js';
