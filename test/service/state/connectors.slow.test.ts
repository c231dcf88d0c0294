import type { ConnectorRow, Scope, State } from 'agent-connectors-service';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTenant, describeOnBothEngines, newState, noon } from './fixtures.js';

type ConnectorFilter = Parameters<State['connectors']['list']>[1];

describeOnBothEngines(() => {
  describe('a connector', () => {
    it('is returned as created, without its credentials', async () => {
      const state = await newState({ now: () => noon });
      const { organization, workspace, scope, connect } = await createTenant(state);
      const made = await connect({
        replicationConfig: { start_date: '2026-01-01', deep: [1] },
        settings: { includePrivate: true },
      });
      expect(made).toEqual({
        id: expect.stringMatching(/^con_[0-9A-Za-z]{20,}$/),
        organizationId: organization.id,
        workspaceId: workspace.id,
        workspaceName: 'default',
        name: 'Linear',
        type: 'linear',
        replicationConfig: { start_date: '2026-01-01', deep: [1] },
        settings: { includePrivate: true },
        createdAt: '2026-05-04T12:00:00.000Z',
        updatedAt: '2026-05-04T12:00:00.000Z',
        account: null,
        health: null,
        credentialsVersion: 0,
      });
      expect(await state.connectors.get(scope, made.id)).toEqual(made);
      expect(await state.credentials.load(made.id)).toEqual({ api_key: 'lin_api_1' });
    });

    it("has its workspace's and its own policies, or none, until it is deleted", async () => {
      const state = await newState();
      const { organization, workspace, scope, connect } = await createTenant(state);
      const other = await connect({ name: 'Other' });
      const row = await connect();
      expect(await state.policies.applicableTo(row)).toEqual([]);
      const target = { organizationId: organization.id, workspaceId: workspace.id };
      const rule = { readOnly: true, allow: ['*.list'], approval: null, approvalBy: 'other' } as const;
      for (const connectorId of [null, row.id, other.id]) await state.policies.put({ ...target, connectorId }, rule);
      const found = (await state.policies.applicableTo(row))!;
      expect(found.map(({ connectorId }) => connectorId).sort()).toEqual([row.id, null]);
      for (const policy of found) expect(policy).toMatchObject({ ...rule, workspaceName: 'default' });
      await state.connectors.delete(scope, row.id);
      expect(await state.policies.applicableTo(row)).toBeUndefined();
      await state.workspaces.delete(scope, workspace.name);
      expect(await state.policies.applicableTo(other)).toBeUndefined();
    });

    it('can have no credentials until some are saved', async () => {
      const state = await newState();
      const { connect } = await createTenant(state);
      const { id } = await connect({ credentials: null });
      expect(await state.credentials.load(id)).toBeUndefined();
      await state.credentials.save(id, { api_key: 'later' });
      expect(await state.credentials.load(id)).toEqual({ api_key: 'later' });
    });

    it('has a unique name in its workspace, even after being renamed', async () => {
      const state = await newState();
      const { organization, scope, connect } = await createTenant(state);
      const first = await connect();
      await expect(connect()).rejects.toMatchObject({ name: 'StateConflict' });
      const second = await connect({ name: 'Second' });
      await expect(state.connectors.update(scope, second.id, { name: 'Linear' })).rejects.toMatchObject({
        name: 'StateConflict',
      });
      expect((await state.connectors.update(scope, first.id, { name: 'Linear' }))?.name).toBe('Linear');
      const elsewhere = await state.workspaces.create(organization.id, 'elsewhere');
      expect((await connect({ workspaceId: elsewhere.id })).workspaceName).toBe('elsewhere');
    });

    it('is rejected in every workspace once the organization has reached its limit', async () => {
      const state = await newState({ quotas: { connectorsPerOrganization: 3 } });
      const { organization, scope, connect } = await createTenant(state);
      const elsewhere = await state.workspaces.create(organization.id, 'elsewhere');
      const made = await Promise.allSettled(
        [1, 2, 3, 4, 5, 6].map((name) =>
          connect({ name: `${name}`, ...(name % 2 === 0 && { workspaceId: elsewhere.id }) }),
        ),
      );
      expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
      const { rows } = await state.connectors.list(scope, { limit: 10 });
      expect(rows).toHaveLength(3);
      await expect(connect({ name: 'more' })).rejects.toMatchObject({
        name: 'QuotaReached',
        message: 'The organization has reached its limit of 3 connectors.',
        hint: expect.stringContaining('connectorsPerOrganization in --limits'),
      });
      await (await createTenant(state, 'other')).connect();
      await state.connectors.delete(scope, rows[0]!.id);
      await connect({ name: 'more' });
    });

    it('leaves nothing behind if its name is rejected', async () => {
      const state = await newState();
      const { scope, connect } = await createTenant(state);
      await connect();
      await expect(connect({ credentials: { api_key: 'other' } })).rejects.toMatchObject({ name: 'StateConflict' });
      expect((await state.connectors.list(scope, { limit: 10 })).rows).toHaveLength(1);
    });

    it('keeps fields that an update omits, and replaces credentials as a whole', async () => {
      let now = noon;
      const state = await newState({ now: () => now });
      const { scope, connect } = await createTenant(state);
      const made = await connect({ replicationConfig: { a: 1 }, settings: { includePrivate: true } });
      now += 1000;
      const renamed = await state.connectors.update(scope, made.id, { name: 'New', replicationConfig: undefined });
      expect(renamed).toEqual({ ...made, name: 'New', updatedAt: '2026-05-04T12:00:01.000Z' });
      expect(await state.credentials.load(made.id)).toEqual({ api_key: 'lin_api_1' });
      await state.connectors.update(scope, made.id, {
        replicationConfig: null,
        credentials: { access_token: 'token' },
      });
      expect((await state.connectors.get(scope, made.id))?.replicationConfig).toBeNull();
      expect(await state.credentials.load(made.id)).toEqual({ access_token: 'token' });
      expect((await state.connectors.get(scope, made.id))?.updatedAt).toBe('2026-05-04T12:00:01.001Z');
    });

    it('saves individual credential fields and keeps the others', async () => {
      const state = await newState();
      const { id } = await (await createTenant(state)).connect({
        credentials: { client_id: 'id', refresh_token: 'one' },
      });
      await state.credentials.save(id, { refresh_token: 'two', access_token: 'new' });
      expect(await state.credentials.load(id)).toEqual({ client_id: 'id', refresh_token: 'two', access_token: 'new' });
    });

    it('does not accept credentials after its deletion', async () => {
      const state = await newState();
      const { scope, connect } = await createTenant(state);
      const { id } = await connect();
      expect(await state.connectors.delete(scope, id)).toBe(true);
      expect(await state.connectors.delete(scope, id)).toBe(false);
      await expect(state.credentials.save(id, { api_key: 'late' })).rejects.toMatchObject({ name: 'StateConflict' });
      expect(await state.credentials.load(id)).toBeUndefined();
    });
  });

  describe('for another tenant', () => {
    /** Every scope that must not see the connector. */
    const strangers = (own: Scope, workspaceId: string, other: Scope, otherWorkspaceId: string): Scope[] => [
      other,
      { ...other, workspaceId },
      { ...other, workspaceId: otherWorkspaceId },
      { ...own, workspaceId: otherWorkspaceId },
      { ...own, workspaceId: '' },
      { organizationId: '' },
      { organizationId: '%' },
      { organizationId: "' OR 1=1 --" },
    ];

    it('a connector does not exist, whichever operation is tried', async () => {
      const state = await newState();
      const own = await createTenant(state);
      const other = await createTenant(state, 'other');
      const row = await own.connect();
      for (const scope of strangers(own.scope, own.workspace.id, other.scope, other.workspace.id)) {
        expect(await state.connectors.get(scope, row.id)).toBeUndefined();
        expect((await state.connectors.list(scope, { limit: 10 })).rows).toEqual([]);
        expect((await state.connectors.list(scope, { limit: 10, workspaceName: 'default' })).rows).toEqual([]);
        expect(
          await state.connectors.update(scope, row.id, { name: 'mine', credentials: { api_key: 'x' } }),
        ).toBeUndefined();
        expect(await state.connectors.delete(scope, row.id)).toBe(false);
        const attempt = { ...row, credentials: null, name: 'planted' };
        await expect(state.connectors.create(scope, attempt)).rejects.toMatchObject({ name: 'StateConflict' });
      }
      expect((await state.connectors.list(own.scope, { limit: 10 })).rows).toEqual([row]);
      expect(await state.credentials.load(row.id)).toEqual({ api_key: 'lin_api_1' });
    });
  });

  describe('the list', () => {
    const everything = async (
      list: (filter: ConnectorFilter) => Promise<{ rows: { id: string }[]; next: string | null }>,
      limit: number,
    ) => {
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const { rows, next } = await list({ limit, cursor });
        expect(rows.length).toBeLessThanOrEqual(limit);
        ids.push(...rows.map(({ id }) => id));
        cursor = next ?? undefined;
      } while (cursor !== undefined);
      return ids;
    };

    it('contains each connector once, for any page size, even if many were created at the same time', async () => {
      let now = noon;
      const state = await newState({ now: () => now });
      const { scope, connect } = await createTenant(state);
      const made: ConnectorRow[] = [];
      for (let index = 0; index < 23; index++) {
        if (index % 5 === 0) now += 1;
        made.push(await connect({ name: `Linear ${index}`, credentials: null }));
      }
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 30 }), async (limit) => {
          const ids = await everything((filter) => state.connectors.list(scope, filter), limit);
          expect([...ids].sort()).toEqual(made.map(({ id }) => id).sort());
        }),
      );
    });

    it('continues after a connector that has been deleted in the meantime', async () => {
      const state = await newState({ now: () => noon });
      const { scope, connect } = await createTenant(state);
      for (const name of ['a', 'b', 'c']) await connect({ name });
      const all = (await state.connectors.list(scope, { limit: 3 })).rows;
      const { rows, next } = await state.connectors.list(scope, { limit: 1 });
      await state.connectors.delete(scope, rows[0]!.id);
      expect((await state.connectors.list(scope, { limit: 5, cursor: next! })).rows).toEqual(all.slice(1));
    });

    it('can be filtered by workspace and type', async () => {
      const state = await newState();
      const { organization, scope, connect } = await createTenant(state);
      const second = await state.workspaces.create(organization.id, 'second');
      const gong = await connect({ workspaceId: second.id, type: 'gong', name: 'Gong' });
      const linear = await connect();
      expect((await state.connectors.list(scope, { limit: 5, workspaceName: 'second' })).rows).toEqual([gong]);
      expect((await state.connectors.list(scope, { limit: 5, type: 'linear' })).rows).toEqual([linear]);
      expect((await state.connectors.list(scope, { limit: 5, type: 'linear', workspaceName: 'second' })).rows).toEqual(
        [],
      );
      expect((await state.connectors.list(scope, { limit: 5, workspaceName: 'none' })).rows).toEqual([]);
      expect((await state.connectors.list({ ...scope, workspaceId: second.id }, { limit: 5 })).rows).toEqual([gong]);
    });
  });

  describe('a cursor', () => {
    it('that was never issued is rejected', async () => {
      const { connectors } = await newState();
      const garbage = fc.oneof(
        fc.string(),
        fc.json(),
        fc.json().map((json) => Buffer.from(json).toString('base64url')),
      );
      await fc.assert(
        fc.asyncProperty(garbage, async (cursor) => {
          await expect(connectors.list({ organizationId: 'org_a' }, { limit: 1, cursor })).rejects.toMatchObject({
            name: 'InvalidCursor',
          });
        }),
        { examples: [['WyIiLCIiXQ']] },
      );
    });
  });
});
