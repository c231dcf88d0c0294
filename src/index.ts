/**
 * What every connector has in common: `Connector`, its options and errors, and what a manifest is written with.
 * @module agent-connectors
 */

export { connectors } from '../connectors/index.js';
export type { AnyConnector } from './any-connector.js';
export {
  type AuthScheme,
  accessToken,
  apiKey,
  keyPair,
  oauthRefresh,
  type Session,
  scheme,
  serviceAccount,
  type TokenRefresh,
  type TokenStore,
} from './auth/index.js';
export { byteRange } from './byte-range.js';
export {
  type ActionMethod,
  Connector,
  type ConnectorClass,
  connector,
  type EntityMethods,
} from './connector.js';
export type {
  ActionDescription,
  AuthDescription,
  ConnectorDescription,
  DescriptionOf,
  EntityDescription,
  JsonSchema,
  SearchDescription,
} from './describe.js';
export { ConnectorError, type ErrorCode, type ParameterIssue, type VendorAccount } from './errors.js';
export { chunksOf } from './http/chunks.js';
export { download } from './http/download.js';
export { mayHaveActed } from './http/fate.js';
export { type Budget, codeOfStatus, type Fault, type HttpReply } from './http/fault.js';
export { type GraphqlError, graphql, graphqlErrors } from './http/graphql.js';
export {
  type Content,
  get,
  type HttpRequest,
  path,
  post,
  type Query,
  reading,
  type Settlement,
} from './http/request.js';
export type { Inspection } from './inspection.js';
export {
  type Action,
  type ActionSpec,
  type AsyncSteps,
  action,
  type Call,
  type Credentials,
  type Effect,
  type Endpoints,
  type Entity,
  entity,
  type Limits,
  type Manifest,
  type Page,
  type ParamsOf,
  type ResultOf,
  type Settings,
  type Steps,
} from './manifest.js';
export { nearest, suggestion } from './nearest.js';
export type {
  AllowPattern,
  CommonOptions,
  ConnectorOptions,
  EndpointOptions,
  ExecuteOptions,
  Hooks,
  MismatchEvent,
  Once,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  Sent,
} from './options.js';
export type { Pages } from './paginate.js';
export type { Plan, PlannedRequest } from './plan.js';
export { type RecordShape, type RecordType, record } from './record.js';
export {
  type ByteStream,
  bytes,
  type DownloadMeta,
  done,
  many,
  type NoMeta,
  one,
  type Result,
  type Returns,
  saved,
} from './result.js';
export type {
  Filter,
  Hit,
  QueryParams,
  Search,
  SearchMeta,
  SearchReadiness,
  SearchRecord,
  SemanticParams,
} from './search.js';
export type { ShapingOptions } from './shape.js';
export type { Operation, Transport } from './transport.js';
export { VERSION } from './version.js';
