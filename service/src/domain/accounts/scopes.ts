import { ConnectorError } from 'agent-connectors';
import { type TokenScope, tokenScopes } from '../../data/state/rows.js';

/** Refuses what needs a scope that the token does not have. */
export function requireTokenScope(granted: readonly TokenScope[], needed: TokenScope): void {
  if (granted.includes(needed)) return;
  throw new ConnectorError(
    'forbidden',
    `The scope '${needed}' is missing; this token has ${granted.join(', ') || 'none'}.`,
    {
      hint: `Request a token with "scopes" that include ${needed}. A client gets its scopes from create-client --scopes.`,
    },
  );
}

/** The scope that an action needs; planning a write needs what the write needs. */
export const scopeOfEffect = (effect: string | null | undefined): TokenScope =>
  effect === 'write' || effect === 'destroy' ? 'write' : 'read';

/** The requested scopes, all of which the requester must have. */
export function narrowScopes(own: readonly TokenScope[], requested: readonly TokenScope[]): TokenScope[] {
  for (const scope of requested) requireTokenScope(own, scope);
  return tokenScopes.filter((scope) => requested.includes(scope));
}

/** What a token for one workspace gets unless its request says otherwise. */
export function defaultScopes(own: readonly TokenScope[]): TokenScope[] {
  const scopes = own.filter((scope) => scope === 'read' || scope === 'write');
  if (scopes.length === 0) requireTokenScope(own, 'read');
  return scopes;
}
