export { apiKey } from './api-key.js';
export { keyPair } from './basic.js';
export { accessToken } from './bearer.js';
export { oauthRefresh } from './oauth-refresh.js';
export { type AuthScheme, type Session, scheme, type TokenRefresh, type TokenStore } from './scheme.js';
export { serviceAccount } from './service-account.js';
