/**
 * Node-only features: saving downloads to disk, loading connectors from modules, and detecting private addresses.
 * @module agent-connectors/node
 */

export { isPrivateAddress } from '../http/private-address.js';
export {
  type AnyConnectorClass,
  type ConnectorRegistry,
  checkDistinctTypes,
  connectorRegistry,
  loadConnector,
  loadConnectors,
  plainTypeName,
  typeSpellings,
} from './connectors.js';
export { type Download, type Saved, type SaveOptions, safeName, save } from './save.js';
