/** Each connector's class, by type name, loaded when it is asked for. */
export const connectors = {
  linear: async () => (await import('./linear/index.js')).LinearConnector,
};
