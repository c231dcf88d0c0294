export {
  type AuthorizationOptions,
  type AuthorizationRequest,
  authorizableModes,
  authorizationUrl,
  type CodeGrant,
  exchangeCode,
} from './auth/authorize.js';
