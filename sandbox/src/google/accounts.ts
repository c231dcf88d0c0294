import type { VendorContext } from '../vendor.js';
import { analyticsClients, analyticsServiceAccounts } from './analytics-credentials.js';
import { driveClient, driveReadOnlyDelegate, driveServiceAccounts } from './drive-credentials.js';
import { GoogleTokens } from './token.js';

const tokensByContext = new WeakMap<VendorContext, GoogleTokens>();

/** The token endpoint shared by all of a sandbox's Google products. */
export function tokensOf(context: VendorContext): GoogleTokens {
  let tokens = tokensByContext.get(context);
  if (!tokens) {
    tokens = new GoogleTokens(context.clock, context.seed, {
      clients: [driveClient, ...analyticsClients],
      serviceAccounts: [...driveServiceAccounts, driveReadOnlyDelegate, ...analyticsServiceAccounts],
    });
    tokensByContext.set(context, tokens);
  }
  return tokens;
}
