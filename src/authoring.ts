/** Everything that a connector is written with. Connectors import this module and nothing else of the library. */

export * from './core.js';
export { propertiesIn } from './replication/properties.js';
export { markdownSegments, plainSegments } from './replication/segments.js';
