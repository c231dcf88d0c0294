export { apiKey } from './api-key.js';
export { accessToken } from './bearer.js';
export { oauthRefresh } from './oauth-refresh.js';
export { type AuthScheme, type Session, scheme, type TokenRefresh } from './scheme.js';
