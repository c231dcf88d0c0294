/** The API for connector authors. Connectors import only this module from the library. */

export {
  type LineSelection,
  lineFilter,
  linePeriod,
  lineSelectionIn,
  transcriptParams,
} from './action/transcript.js';
export * from './core.js';
export { withHint } from './errors/connector-error.js';
export { suggestion } from './errors/nearest.js';
export { type EntitySchemas, schemasOf } from './manifest/schemas.js';
export { markdownSegments, plainSegments } from './replication/segments.js';
export { valuesIn } from './setup/values.js';
