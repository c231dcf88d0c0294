import type { Setups } from '../../data/state/setup-types.js';
import type { Services } from '../api/route.js';
import type { OAuthClients } from './oauth-clients.js';
import type { PublicAddress } from './public-address.js';

/** What the setup flow works with. */
export interface SetupDependencies
  extends Pick<
    Services,
    | 'state'
    | 'definitions'
    | 'policy'
    | 'searches'
    | 'engine'
    | 'instances'
    | 'metrics'
    | 'now'
    | 'report'
    | 'maxBodyBytes'
  > {
  readonly setups: Setups;
  /** The way out to the vendors. */
  readonly fetch: typeof globalThis.fetch;
  readonly address: PublicAddress;
  readonly oauthClients: OAuthClients;
}
