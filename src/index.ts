/**
 * Common to all connectors: `Connector`, its options and errors, and what manifests are written with.
 * @module agent-connectors
 */

export { connectors } from '../connectors/index.js';
export * from './core.js';
