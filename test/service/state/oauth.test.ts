import { describe, expect, it } from 'vitest';
import { keyRing } from '../../../service/src/data/vault/keys.js';
import { createTokens } from '../../../service/src/domain/accounts/tokens.js';
import { newKey } from '../keys.js';
import { createTenant, describeOnBothEngines, newFolder, newState, noon } from './fixtures.js';

const metadata = { name: 'App', redirectUris: ['https://app.example/callback'], authMethod: 'none' } as const;
const day = 24 * 60 * 60_000;
const anyone = () => true;
const next = (token: string) => `${token.split('.')[0]}.after-${token.slice(-8)}`;
const onlyNext = (token: string): [string] => [next(token)];

/** A state with a clock controlled by the test, and a user who authorizes apps. */
async function setting(quotas = {}) {
  const clock = { time: noon };
  const options = { folder: newFolder(), keys: [newKey()], now: () => clock.time, quotas };
  const state = await newState(options);
  const { organization, workspace, scope } = await createTenant(state);
  const { client } = await state.clients.create('Person', [organization.id]);
  const grant = (appId = 'https://app.example/client.json') =>
    state.grants.create(scope, {
      workspaceId: workspace.id,
      clientId: client.id,
      appId,
      appName: 'App',
      connectorIds: null,
      redirectUri: 'https://app.example/callback',
      resource: 'mcp',
      scopes: ['read'],
      challenge: '',
    });
  return { state, clock, scope, organization, client, grant, replica: () => newState(options) };
}

describeOnBothEngines(() => {
  describe('a code', () => {
    it('is redeemed once, by any replica; redeeming it again revokes its grant', async () => {
      const { state, organization, grant, replica, scope } = await setting();
      const other = await replica();
      const { id, code } = await grant();
      expect(await state.grants.list(scope)).toEqual([]);
      const redeemed = await other.grants.redeemCode(code, anyone);
      expect(redeemed).toMatchObject({
        outcome: 'redeemed',
        grant: { id },
        refreshToken: expect.stringMatching(/^ort_/),
      });
      expect(await state.grants.use(organization.id, id)).toMatchObject({ scopes: ['read'], workspaceName: 'default' });
      expect(await state.grants.redeemCode(code, anyone)).toMatchObject({ outcome: 'replayed' });
      expect(await other.grants.use(organization.id, id)).toBeUndefined();
      expect(await other.grants.redeemCode(code, anyone)).toBeUndefined();
    });

    it('is consumed by a mismatched request, and is valid for a minute', async () => {
      const { state, clock, grant } = await setting();
      const { code } = await grant();
      expect(await state.grants.redeemCode(code, () => false)).toMatchObject({ outcome: 'refused' });
      expect(await state.grants.redeemCode(code, anyone)).toBeUndefined();
      const late = await grant();
      clock.time += 60_000;
      expect(await state.grants.redeemCode(late.code, anyone)).toMatchObject({ outcome: 'refused' });
    });
  });

  describe('a refresh token', () => {
    it('is replaced on each use; reuse within half a minute returns the same successor, and later reuse revokes the grant', async () => {
      const { state, clock, grant, replica, organization } = await setting();
      const other = await replica();
      const { id, code } = await grant();
      const first = (await state.grants.redeemCode(code, anyone)) as { refreshToken: string };
      const refresh = (token: string, on = state) => on.grants.refresh(token, anyone, onlyNext);
      const both = [await refresh(first.refreshToken), await refresh(first.refreshToken, other)];
      const second = next(first.refreshToken);
      expect(both).toMatchObject([{ refreshToken: second }, { refreshToken: second }]);
      clock.time += 29 * day;
      expect(await refresh(second, other)).toMatchObject({ outcome: 'redeemed' });
      clock.time += 29 * day;
      expect(await state.grants.use(organization.id, id)).toMatchObject({ id });
      expect(await refresh(first.refreshToken)).toMatchObject({ outcome: 'replayed' });
      expect(await refresh(next(second))).toBeUndefined();
      expect(await state.grants.use(organization.id, id)).toBeUndefined();
    });

    it('has the same successor after a rotation of the master key, whichever key of the ring derived it', async () => {
      const { state, grant } = await setting();
      const { code } = await grant();
      const { refreshToken } = (await state.grants.redeemCode(code, anyone)) as { refreshToken: string };
      const [old, fresh] = [newKey(), newKey()];
      const refreshWith = (keys: readonly string[]) =>
        state.grants.refresh(refreshToken, anyone, createTokens(keyRing(keys)).nextRefreshTokens);
      const before = await refreshWith([old]);
      expect(before).toMatchObject({ outcome: 'redeemed' });
      expect(await refreshWith([fresh, old])).toEqual(before);
      expect(await refreshWith([fresh])).toMatchObject({ outcome: 'replayed' });
    });

    it('expires after 30 days without use', async () => {
      const { state, clock, grant, scope } = await setting();
      const { code } = await grant();
      const { refreshToken } = (await state.grants.redeemCode(code, anyone)) as { refreshToken: string };
      clock.time += 30 * day;
      expect(await state.grants.list(scope)).toEqual([]);
      expect(await state.grants.refresh(refreshToken, anyone, onlyNext)).toBeUndefined();
      await state.grants.sweep();
    });
  });

  describe('registered apps', () => {
    it('are limited in total and per address: an app without a grant makes room for a new one', async () => {
      const { state, clock, grant } = await setting({ oauthApps: 20, oauthAppsOfAddress: 5 });
      const register = async (network: string) => {
        clock.time += 1;
        return (await state.oauthApps.register(metadata, network)).app.id;
      };
      const [used, unused] = [await register('10.0.0.1'), await register('10.0.0.1')];
      const { code } = await grant(used);
      await state.grants.redeemCode(code, anyone);
      const ofOne = [];
      for (let count = 0; count < 12; count++) ofOne.push(await register('10.0.0.1'));
      const known = async (ids: readonly string[]) =>
        (await Promise.all(ids.map((id) => state.oauthApps.get(id)))).filter(Boolean).length;
      expect(await known(ofOne)).toBe(5);
      expect(await known(ofOne.slice(-5))).toBe(5);
      expect([await known([used]), await known([unused])]).toEqual([1, 0]);
      const ofMany = [];
      for (let count = 0; count < 40; count++) ofMany.push(await register(`10.0.1.${count}`));
      expect([await known(ofMany), await known(ofOne), await known([used])]).toEqual([20, 0, 1]);
    });

    it('are deleted after a day without a grant, and get a secret only on request', async () => {
      const { state, clock } = await setting();
      const { app, secret } = await state.oauthApps.register({ ...metadata, authMethod: 'client_secret_post' }, 'x');
      expect(await state.oauthApps.hasSecret(app.id, secret!)).toBe(true);
      expect(await state.oauthApps.hasSecret(app.id, 'another')).toBe(false);
      const kept = (await state.oauthApps.register(metadata, 'x')).app;
      await state.oauthApps.keep(kept.id);
      clock.time += day;
      await state.oauthApps.sweep();
      expect([await state.oauthApps.get(app.id), (await state.oauthApps.get(kept.id))?.id]).toEqual([
        undefined,
        kept.id,
      ]);
    });

    it('with a metadata document are cached for as long as allowed', async () => {
      const { state, clock } = await setting();
      await state.oauthApps.cache('https://app.example/client.json', metadata, 1000);
      expect(await state.oauthApps.get('https://app.example/client.json')).toMatchObject({ name: 'App' });
      clock.time += 1000;
      expect(await state.oauthApps.get('https://app.example/client.json')).toBeUndefined();
    });
  });

  it("a client's grants are deleted with it, and visible only in its organization", async () => {
    const { state, scope, client, grant } = await setting();
    const { id, code } = await grant();
    await state.grants.redeemCode(code, anyone);
    const rival = await createTenant(state, 'rival');
    expect(await state.grants.revoke(rival.scope, id)).toBeUndefined();
    expect(await state.grants.use(rival.organization.id, id)).toBeUndefined();
    expect(await state.grants.revoke(scope, id, 'cli_other')).toBeUndefined();
    expect((await state.grants.list(scope, client.id)).length).toBe(1);
    await state.clients.delete(client.id);
    expect(await state.grants.list(scope)).toEqual([]);
  });
});
