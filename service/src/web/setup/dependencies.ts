import type { Setups } from '../../data/state/setup-types.js';
import type { Services } from '../api/route.js';
import type { OAuthClients } from './oauth-clients.js';
import type { PublicAddress } from './public-address.js';

/** Dependencies of the setup flow. */
export interface SetupDependencies
  extends Pick<
    Services,
    | 'state'
    | 'definitions'
    | 'addressPolicy'
    | 'searches'
    | 'engine'
    | 'instances'
    | 'metrics'
    | 'now'
    | 'report'
    | 'storage'
    | 'maxBodyBytes'
  > {
  readonly setups: Setups;
  /** The guarded fetch. */
  readonly fetch: typeof globalThis.fetch;
  readonly address: PublicAddress;
  readonly oauthClients: OAuthClients;
}
