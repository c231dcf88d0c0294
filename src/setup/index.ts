/**
 * Building blocks for a page where users connect an account; used by the service.
 * @module agent-connectors/setup
 */

import type { CommonOptions } from '../call/options.js';
import { internalCalls } from '../internal-calls.js';
import type { Manifest } from '../manifest/manifest.js';
import type { SetupGuide, SetupSource } from '../manifest/setup.js';

export type {
  Choice,
  ChoiceList,
  ConfigField,
  CredentialHelp,
  DoctorGuide,
  DoctorReads,
  Identity,
  IdentityPaths,
  ParameterValue,
  Picker,
  Probe,
  Quota,
  SetupGuide,
  SetupSource,
} from '../manifest/setup.js';
export {
  type AuthorizationOptions,
  type AuthorizationRequest,
  authorizableModes,
  authorizationUrl,
  type CodeGrant,
  exchangeCode,
} from './authorize.js';
export { knownParameters, type ParameterSources } from './known.js';
export { valuesIn } from './values.js';

/** Creates a guide's source from the credentials being tested. */
export const setupSource = (manifest: Manifest, { calls }: SetupGuide, options: CommonOptions): SetupSource =>
  internalCalls(manifest, calls, options);
