import { describe, expect, it } from 'vitest';
import { createTenant, describeOnBothEngines, newState, noon } from './fixtures.js';

describeOnBothEngines(() => {
  describe('organizations', () => {
    it('are listed by id, in the requested order, omitting unknown ids', async () => {
      const { organizations } = await newState();
      const [first, second] = [await organizations.create('first'), await organizations.create('second')];
      expect(await organizations.list([second.id, 'org_none', first.id])).toEqual([second, first]);
      expect(await organizations.all()).toHaveLength(2);
      expect(first.id).toMatch(/^org_[0-9A-Za-z]{20,}$/);
    });
  });

  describe('workspaces', () => {
    it('are found by name only in their own organization', async () => {
      const state = await newState();
      const { workspace, scope } = await createTenant(state);
      const other = await createTenant(state, 'other');
      expect(await state.workspaces.find(scope, 'default')).toEqual(workspace);
      expect(await state.workspaces.find(other.scope, 'default')).toEqual(other.workspace);
      expect(await state.workspaces.find({ organizationId: 'org_none' }, 'default')).toBeUndefined();
    });

    it("outside a token's scope do not exist for it", async () => {
      let now = noon;
      const state = await newState({ now: () => now });
      const { organization, workspace } = await createTenant(state);
      now += 1;
      const second = await state.workspaces.create(organization.id, 'second');
      const scope = { organizationId: organization.id, workspaceId: workspace.id };
      expect(await state.workspaces.list(scope, { limit: 5 })).toEqual({ rows: [workspace], next: null });
      expect(await state.workspaces.find(scope, 'second')).toBeUndefined();
      expect(await state.workspaces.delete(scope, 'second')).toBe(false);
      const all = await state.workspaces.list({ organizationId: organization.id }, { limit: 5 });
      expect(all).toEqual({ rows: [workspace, second], next: null });
    });

    it('are paged, even if several were created at the same time', async () => {
      const state = await newState({ now: () => noon });
      const { scope, workspace } = await createTenant(state);
      await createTenant(state, 'other');
      const made = [workspace];
      for (const name of ['a', 'b', 'c', 'd']) made.push(await state.workspaces.create(scope.organizationId, name));
      const paged: unknown[] = [];
      let cursor: string | undefined;
      do {
        const { rows, next } = await state.workspaces.list(scope, { limit: 2, cursor });
        expect(rows.length).toBeGreaterThan(0);
        paged.push(...rows);
        cursor = next ?? undefined;
      } while (cursor !== undefined);
      expect(paged).toEqual(made.sort((one, other) => (one.id < other.id ? -1 : 1)));
      await expect(state.workspaces.list(scope, { limit: 2, cursor: 'none' })).rejects.toMatchObject({
        name: 'InvalidCursor',
      });
    });

    it('have unique names in an organization', async () => {
      const state = await newState();
      const { organization } = await createTenant(state);
      await expect(state.workspaces.create(organization.id, 'default')).rejects.toMatchObject({
        name: 'StateConflict',
      });
      await expect(state.workspaces.create('org_none', 'default')).rejects.toMatchObject({ name: 'StateConflict' });
    });

    it('are limited per organization, even if created concurrently', async () => {
      const state = await newState({ quotas: { workspacesPerOrganization: 3 } });
      const { organization, scope } = await createTenant(state);
      const names = ['a', 'b', 'c', 'd', 'e'];
      const made = await Promise.allSettled(names.map((name) => state.workspaces.create(organization.id, name)));
      expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
      expect((await state.workspaces.list(scope, { limit: 10 })).rows).toHaveLength(3);
      await expect(state.workspaces.create(organization.id, 'f')).rejects.toMatchObject({
        name: 'QuotaReached',
        message: 'The organization has reached its limit of 3 workspaces.',
        hint: expect.stringContaining('workspacesPerOrganization in --limits'),
      });
      // An existing name is still reported as a conflict, since another caller may have just created it.
      await expect(state.workspaces.create(organization.id, 'default')).rejects.toMatchObject({
        name: 'StateConflict',
      });
      await createTenant(state, 'other');
      await state.workspaces.delete(scope, 'default');
      await state.workspaces.create(organization.id, 'f');
    });

    it('are deleted with their own connectors and credentials, leaving others untouched', async () => {
      const state = await newState();
      const { organization, scope, connect } = await createTenant(state);
      const kept = await connect();
      const second = await state.workspaces.create(organization.id, 'second');
      const lost = await connect({ workspaceId: second.id });
      expect(await state.workspaces.delete({ organizationId: 'org_none' }, 'second')).toBe(false);
      expect(await state.workspaces.delete(scope, 'second')).toBe(true);
      expect(await state.connectors.get(scope, lost.id)).toBeUndefined();
      expect(await state.credentials.load(lost.id)).toBeUndefined();
      expect(await state.credentials.load(kept.id)).toEqual({ api_key: 'lin_api_1' });
    });
  });

  describe('clients', () => {
    it('authenticate with the secret that is returned once', async () => {
      const state = await newState();
      const { organization } = await createTenant(state);
      const { client, secret } = await state.clients.create('agent', [organization.id]);
      expect(secret).toMatch(/^acs_[0-9A-Za-z]{49}$/);
      expect(await state.clients.verify(client.id, secret)).toEqual(client);
      expect(await state.clients.verify(client.id, `${secret.slice(0, -1)}!`)).toBeUndefined();
      expect(await state.clients.verify(client.id, '')).toBeUndefined();
      expect(await state.clients.verify('cli_none', secret)).toBeUndefined();
      expect(JSON.stringify([client, await state.clients.list()])).not.toContain(secret);
    });

    it('have the given scopes, or all scopes by default', async () => {
      const state = await newState();
      const { organization } = await createTenant(state);
      const all = await state.clients.create('all', [organization.id]);
      const some = await state.clients.create('some', [organization.id], ['write', 'read']);
      expect([all.client.scopes, some.client.scopes]).toEqual([
        ['read', 'write', 'manage', 'admin'],
        ['read', 'write'],
      ]);
      expect(await state.clients.get(some.client.id)).toEqual(some.client);
    });

    it('keep their organizations in the given order', async () => {
      const state = await newState();
      const [a, b] = [await state.organizations.create('a'), await state.organizations.create('b')];
      const { client } = await state.clients.create('agent', [b.id, a.id]);
      expect((await state.clients.get(client.id))?.organizationIds).toEqual([b.id, a.id]);
    });

    it('are not created for an unknown organization', async () => {
      const state = await newState();
      await expect(state.clients.create('agent', ['org_none'])).rejects.toMatchObject({ name: 'StateConflict' });
      expect(await state.clients.list()).toEqual([]);
    });

    it('stop working as soon as they are deleted', async () => {
      const state = await newState();
      const { client, secret } = await state.clients.create('agent', [(await createTenant(state)).organization.id]);
      expect(await state.clients.delete(client.id)).toBe(true);
      expect(await state.clients.delete(client.id)).toBe(false);
      expect(await state.clients.get(client.id)).toBeUndefined();
      expect(await state.clients.verify(client.id, secret)).toBeUndefined();
    });
  });
});
