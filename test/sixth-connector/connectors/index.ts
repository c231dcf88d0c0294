/** The registry that `--connectors` loads. */
export const connectors = {
  larder: async () => (await import('./larder/index.js')).LarderConnector,
};
