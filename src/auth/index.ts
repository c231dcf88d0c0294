export { oauthRefresh } from './oauth-refresh.js';
export {
  type AuthScheme,
  accessToken,
  apiKey,
  keyPair,
  type Session,
  scheme,
  type TokenRefresh,
  type TokenStore,
} from './scheme.js';
export { serviceAccount } from './service-account.js';
