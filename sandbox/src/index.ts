export type { SandboxClock } from './clock.js';
export { type Chaos, type FaultKind, type FaultRule, faultKinds } from './faults.js';
export type { LinearLimits } from './linear/buckets.js';
export type { LinearCredentials } from './linear/credentials.js';
export type { LinearHandle } from './linear/vendor.js';
export type { RecordedRequest, RequestLog } from './requests.js';
export { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.js';
export type { VendorHandles, VendorName } from './vendors.js';
