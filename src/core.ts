/** The engine's API for programs and connector authors; `index.ts` adds the connectors. */

export {
  type Action,
  type ActionSpec,
  type AsyncSteps,
  action,
  type Call,
  type Effect,
  type Page,
  type ParamsOf,
  type ResultOf,
  type Settings,
  type Steps,
} from './action/action.js';
export { byteRange, download } from './action/download.js';
export { type IdParamOptions, idParam, type UrlId } from './action/id-param.js';
export { checkParams } from './action/params.js';
export {
  type ByteStream,
  bytes,
  type DownloadMeta,
  done,
  many,
  type NoMeta,
  notes,
  one,
  type RecordShape,
  type RecordType,
  type Result,
  type Returns,
  record,
  saved,
} from './action/result.js';
export type { AnyConnector, Inspection } from './any-connector.js';
export { oauthRefresh } from './auth/oauth-refresh.js';
export {
  type AuthScheme,
  accessToken,
  apiKey,
  keyPair,
  type Session,
  scheme,
  type TokenRefresh,
  type TokenStore,
} from './auth/scheme.js';
export { serviceAccount } from './auth/service-account.js';
export { type BatchOutcome, runBatch } from './call/batch.js';
export type { ExecuteOptions, Once, Sent } from './call/execute-options.js';
export type {
  AllowPattern,
  CommonOptions,
  ConnectorOptions,
  Hooks,
  MismatchEvent,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
} from './call/options.js';
export type { Pages } from './call/paginate.js';
export type { Plan, PlannedRequest } from './call/plan.js';
export { checkSearchFields, type ShapingOptions, shapeData, shapeResult, type View, viewData } from './call/shape.js';
export type { Operation, Transport } from './call/transport.js';
export {
  type ActionMethod,
  Connector,
  type ConnectorClass,
  connector,
  type EntityMethods,
} from './connector.js';
export { ConnectorError, type ErrorCode, type ParameterIssue, type VendorAccount } from './errors/connector-error.js';
export { nearest, suggestion } from './errors/nearest.js';
export { chunksOf } from './http/chunks.js';
export {
  type Budget,
  codeOfStatus,
  type Fault,
  findVendorError,
  type HttpReply,
  type VendorError,
} from './http/fault.js';
export type { Limits, SharedLimits } from './http/limiter.js';
export { mayHaveActed } from './http/outcome.js';
export type { EndpointOptions, Endpoints } from './http/request.js';
export {
  type Backoff,
  type Content,
  type GraphqlError,
  get,
  graphql,
  graphqlErrors,
  type HttpRequest,
  path,
  post,
  type Query,
  reading,
  type Settlement,
} from './http/request.js';
export type {
  ActionDescription,
  AuthDescription,
  ConnectorDescription,
  DescriptionOf,
  EntityDescription,
  JsonSchema,
  RelationDescription,
  SearchDescription,
} from './manifest/describe.js';
export { type Credentials, type Entity, entity, type Manifest } from './manifest/manifest.js';
export type {
  Access,
  Batch,
  Failure,
  FileText,
  Json,
  Look,
  Lookup,
  Names,
  Passage,
  Remaining,
  Replica,
  Replication,
  Segment,
  Source,
  SourceFile,
  StoredRecord,
  Sweep,
  SweepPage,
  TextCause,
  Withheld,
} from './manifest/replication.js';
export type {
  ChoiceList,
  ConfigField,
  CredentialHelp,
  DoctorGuide,
  DoctorReads,
  IdentityPaths,
  ParameterValue,
  Probe,
  Quota,
  SetupGuide,
  SetupSource,
} from './manifest/setup.js';
export type {
  Aggregate,
  EmptySearch,
  Filter,
  Group,
  Hit,
  QueryParams,
  Search,
  SearchMeta,
  SearchReadiness,
  SearchRecord,
  SemanticParams,
} from './search/types.js';
export { VERSION } from './version.js';
