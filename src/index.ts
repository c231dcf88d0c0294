/**
 * What all connectors share: `Connector`, its options and errors, and the building blocks of manifests.
 * @module agent-connectors
 */

export { connectors } from '../connectors/index.js';
export * from './core.js';
