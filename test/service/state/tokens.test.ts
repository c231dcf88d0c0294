import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { keyRing } from '../../../service/src/data/vault/keys.js';
import { createTokens, type TokenClaims } from '../../../service/src/domain/accounts/tokens.js';
import { newKey } from '../keys.js';
import { noon } from './fixtures.js';

const app: TokenClaims = { kind: 'app', clientId: 'cli_1', organizationId: 'org_1', asUser: null };
const scoped: TokenClaims = {
  kind: 'scoped',
  clientId: 'cli_1',
  organizationId: 'org_1',
  workspaceId: 'ws_1',
  asUser: null,
};

describe('tokens', () => {
  it('identify the caller and scope during their lifetime', async () => {
    let now = noon;
    const tokens = createTokens(keyRing([newKey()]), () => now);
    for (const [claims, seconds] of [
      [app, 900],
      [scoped, 1200],
    ] as const) {
      now = noon;
      const { token, expiresIn } = await tokens.issue(claims);
      expect(expiresIn).toBe(seconds);
      now = noon + (seconds - 1) * 1000;
      expect(await tokens.verify(token)).toEqual(claims);
      now = noon + seconds * 1000;
      expect(await tokens.verify(token)).toBeUndefined();
    }
  });

  it('signed with a rotated key remain valid while that key is in the key ring', async () => {
    const [old, fresh] = [newKey(), newKey()];
    const { token } = await createTokens(keyRing([old])).issue(app);
    expect(await createTokens(keyRing([fresh, old])).verify(token)).toEqual(app);
    expect(await createTokens(keyRing([fresh])).verify(token)).toBeUndefined();
  });

  it('that are altered, unsigned, foreign or malformed are invalid', async () => {
    const keys = keyRing([newKey()]);
    const tokens = createTokens(keys);
    const { token } = await tokens.issue(scoped);
    const [head, , signature] = token.split('.');
    const body = Buffer.from(JSON.stringify({ ...decodeJwt(token), ws: 'ws_2' })).toString('base64url');
    const foreign = new SignJWT(decodeJwt(token)).setProtectedHeader({ alg: 'HS256', kid: keys.newest.id });
    const signed = (claims: Record<string, unknown>) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', kid: keys.newest.id })
        .setExpirationTime('1h')
        .sign(keys.newest.derive('tokens'));
    const issued = { iss: 'agent-connectors', aud: 'agent-connectors', sub: 'cli_1' };
    const refused = [
      '',
      'a.b.c',
      '\u0000',
      `${head}.${body}.${signature}`,
      new UnsecuredJWT(decodeJwt(token)).encode(),
      await foreign.sign(keyRing([newKey()]).newest.derive('tokens')),
      await foreign.sign(keys.newest.derive('vault')),
      await signed({ ...issued, org: 'org_1', typ: 'scoped' }),
      await signed({ ...issued, org: 'org_1', typ: 'admin' }),
      await signed({ ...issued, typ: 'app' }),
      await signed({ ...issued, org: 'org_1', typ: 'app', iss: 'other' }),
      await signed({ ...issued, org: 'org_1', typ: 'app', aud: 'other' }),
    ];
    for (const token of refused) expect(await tokens.verify(token)).toBeUndefined();
    expect(await tokens.verify(await signed({ ...issued, org: 'org_1', typ: 'app' }))).toEqual(app);
  });
});
