/**
 * What needs Node: saving a download to disk.
 * @module agent-connectors/node
 */
export { type Download, type Saved, type SaveOptions, safeName, save } from './save.js';
