import { LarderConnector } from './larder/index.js';

/** A registry with a mistake. */
export const connectors = { cellar: async () => LarderConnector };
