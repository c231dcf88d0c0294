/**
 * What needs Node: saving a download to disk, and loading connectors from modules.
 * @module agent-connectors/node
 */
export { type AnyConnectorClass, type ConnectorRegistry, connectorRegistry, loadConnectors } from './connectors.js';
export { type Download, type Saved, type SaveOptions, safeName, save } from './save.js';
