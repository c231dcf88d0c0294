/**
 * What every connector has in common: `Connector`, its options and errors, and what a manifest is written with.
 * @module agent-connectors
 */

export { connectors } from '../connectors/index.js';
export * from './core.js';
