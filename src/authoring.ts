/** Everything that a connector is written with. Connectors import this module and nothing else of the library. */

export * from './core.js';
export { markdownSegments, plainSegments } from './replication/segments.js';
export { valuesIn } from './setup/values.js';
