/** Each connector's class, by type name, loaded when it is asked for. */
export const connectors = {
  granola: async () => (await import('./granola/index.js')).GranolaConnector,
  'google-drive': async () => (await import('./google-drive/index.js')).GoogleDriveConnector,
  linear: async () => (await import('./linear/index.js')).LinearConnector,
};
