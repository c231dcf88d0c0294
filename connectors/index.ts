/** Connector classes by type name, loaded on demand. */
export const connectors = {
  /** `GoogleAnalyticsConnector`. */
  'google-analytics': async () => (await import('./google-analytics/index.js')).GoogleAnalyticsConnector,
  /** `GongConnector`. */
  gong: async () => (await import('./gong/index.js')).GongConnector,
  /** `GranolaConnector`. */
  granola: async () => (await import('./granola/index.js')).GranolaConnector,
  /** `GoogleDriveConnector`. */
  'google-drive': async () => (await import('./google-drive/index.js')).GoogleDriveConnector,
  /** `LinearConnector`. */
  linear: async () => (await import('./linear/index.js')).LinearConnector,
};
