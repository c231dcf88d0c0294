/**
 * Emulates the vendors in memory.
 * @module agent-connectors-sandbox
 */
export type { ByteArray, ByteSource } from './byte-array.js';
export type { SandboxClock } from './clock.js';
export { type Chaos, type FaultKind, type FaultRule, faultKinds } from './faults.js';
export type { FolderDrive, FolderEntry } from './folder-drive.js';
export type { GongCredentials } from './gong/credentials.js';
export type { GongLimits } from './gong/rate-limiter.js';
export type { GongHandle } from './gong/vendor.js';
export type { GoogleAnalyticsCredentials } from './google/analytics-credentials.js';
export type { GoogleDriveCredentials, GoogleOAuthCredentials } from './google/drive-credentials.js';
export type { GoogleAnalyticsLimits } from './google-analytics/quota.js';
export type { GoogleAnalyticsHandle } from './google-analytics/vendor.js';
export type { GoogleDriveLimits } from './google-drive/context.js';
export type { GoogleDriveHandle } from './google-drive/vendor.js';
export type { GranolaCredentials } from './granola/credentials.js';
export type { GranolaLimits } from './granola/rate-limiter.js';
export type { GranolaHandle } from './granola/vendor.js';
export type { LinearLimits } from './linear/buckets.js';
export type { LinearCredentials } from './linear/credentials.js';
export type { LinearHandle } from './linear/vendor.js';
export { Random } from './random.js';
export type { RecordedRequest, RequestLog } from './requests.js';
export { createSandbox } from './sandbox.js';
export type { Sandbox, SandboxOptions } from './types.js';
export type {
  RequestNotes,
  Vendor,
  VendorContext,
  VendorHandle,
  VendorInstance,
  VendorRecord,
  VendorReply,
  VendorRequest,
} from './vendor.js';
export type { VendorHandles, VendorName } from './vendors.js';
