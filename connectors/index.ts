/** Each connector's class, by type name, loaded when it is asked for. */
export const connectors = {
  'google-analytics': async () => (await import('./google-analytics/index.js')).GoogleAnalyticsConnector,
  gong: async () => (await import('./gong/index.js')).GongConnector,
  granola: async () => (await import('./granola/index.js')).GranolaConnector,
  'google-drive': async () => (await import('./google-drive/index.js')).GoogleDriveConnector,
  linear: async () => (await import('./linear/index.js')).LinearConnector,
};
