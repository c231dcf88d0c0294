/** Each connector's class, by type name, loaded when it is asked for. */
export const connectors = {
  granola: async () => (await import('./granola/index.js')).GranolaConnector,
  linear: async () => (await import('./linear/index.js')).LinearConnector,
};
