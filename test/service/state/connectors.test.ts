import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCursor, writeCursor } from '../../../service/src/state/cursor.js';
import { type ConnectorFilter, InvalidCursor, type Scope, StateConflict } from '../../../service/src/state/types.js';
import { newState, noon, tenant } from './fixtures.js';

describe('a connector', () => {
  it('comes back as it was made, without its credentials', () => {
    const state = newState({ now: () => noon });
    const { organization, workspace, scope, connect } = tenant(state);
    const made = connect({
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
    });
    expect(state.connectors.get(scope, made.id)).toEqual(made);
    expect(state.credentials.load(made.id)).toEqual({ api_key: 'lin_api_1' });
  });

  it('may be without credentials until some are saved', () => {
    const state = newState();
    const { connect } = tenant(state);
    const { id } = connect({ credentials: null });
    expect(state.credentials.load(id)).toBeUndefined();
    state.credentials.save(id, { api_key: 'later' });
    expect(state.credentials.load(id)).toEqual({ api_key: 'later' });
  });

  it('has a name of its own in its workspace, also when renamed', () => {
    const state = newState();
    const { organization, scope, connect } = tenant(state);
    const first = connect();
    expect(() => connect()).toThrow(StateConflict);
    const second = connect({ name: 'Second' });
    expect(() => state.connectors.update(scope, second.id, { name: 'Linear' })).toThrow(StateConflict);
    expect(state.connectors.update(scope, first.id, { name: 'Linear' })?.name).toBe('Linear');
    const elsewhere = state.workspaces.create(organization.id, 'elsewhere');
    expect(connect({ workspaceId: elsewhere.id }).workspaceName).toBe('elsewhere');
  });

  it('leaves nothing behind when its name is refused', () => {
    const state = newState();
    const { scope, connect } = tenant(state);
    connect();
    expect(() => connect({ credentials: { api_key: 'other' } })).toThrow(StateConflict);
    expect(state.connectors.list(scope, { limit: 10 }).rows).toHaveLength(1);
  });

  it('keeps what a change leaves out, and trades credentials as a whole', () => {
    let now = noon;
    const state = newState({ now: () => now });
    const { scope, connect } = tenant(state);
    const made = connect({ replicationConfig: { a: 1 }, settings: { includePrivate: true } });
    now += 1000;
    const renamed = state.connectors.update(scope, made.id, { name: 'New', replicationConfig: undefined });
    expect(renamed).toEqual({ ...made, name: 'New', updatedAt: '2026-05-04T12:00:01.000Z' });
    expect(state.credentials.load(made.id)).toEqual({ api_key: 'lin_api_1' });
    state.connectors.update(scope, made.id, { replicationConfig: null, credentials: { access_token: 'token' } });
    expect(state.connectors.get(scope, made.id)?.replicationConfig).toBeNull();
    expect(state.credentials.load(made.id)).toEqual({ access_token: 'token' });
    expect(state.connectors.get(scope, made.id)?.updatedAt).toBe('2026-05-04T12:00:01.001Z');
  });

  it('saves single credentials beside the others', () => {
    const state = newState();
    const { id } = tenant(state).connect({ credentials: { client_id: 'id', refresh_token: 'one' } });
    state.credentials.save(id, { refresh_token: 'two', access_token: 'new' });
    expect(state.credentials.load(id)).toEqual({ client_id: 'id', refresh_token: 'two', access_token: 'new' });
  });

  it('that is gone takes no credentials', () => {
    const state = newState();
    const { scope, connect } = tenant(state);
    const { id } = connect();
    expect(state.connectors.delete(scope, id)).toBe(true);
    expect(state.connectors.delete(scope, id)).toBe(false);
    expect(() => state.credentials.save(id, { api_key: 'late' })).toThrow(StateConflict);
    expect(state.credentials.load(id)).toBeUndefined();
  });
});

describe('to another tenant', () => {
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

  it('a connector is not there, whatever is tried', () => {
    const state = newState();
    const own = tenant(state);
    const other = tenant(state, 'other');
    const row = own.connect();
    for (const scope of strangers(own.scope, own.workspace.id, other.scope, other.workspace.id)) {
      expect(state.connectors.get(scope, row.id)).toBeUndefined();
      expect(state.connectors.list(scope, { limit: 10 }).rows).toEqual([]);
      expect(state.connectors.list(scope, { limit: 10, workspaceName: 'default' }).rows).toEqual([]);
      expect(state.connectors.update(scope, row.id, { name: 'mine', credentials: { api_key: 'x' } })).toBeUndefined();
      expect(state.connectors.delete(scope, row.id)).toBe(false);
      const attempt = { ...row, credentials: null, name: 'planted' };
      expect(() => state.connectors.create(scope, attempt)).toThrow(StateConflict);
    }
    expect(state.connectors.list(own.scope, { limit: 10 }).rows).toEqual([row]);
    expect(state.credentials.load(row.id)).toEqual({ api_key: 'lin_api_1' });
  });
});

describe('the list', () => {
  const everything = (
    list: (filter: ConnectorFilter) => { rows: { id: string }[]; next: string | null },
    limit: number,
  ) => {
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const { rows, next } = list({ limit, cursor });
      expect(rows.length).toBeLessThanOrEqual(limit);
      ids.push(...rows.map(({ id }) => id));
      cursor = next ?? undefined;
    } while (cursor !== undefined);
    return ids;
  };

  it('gives each connector once, whatever the size of a page, when many share a moment', () => {
    let now = noon;
    const state = newState({ now: () => now });
    const { scope, connect } = tenant(state);
    const made = Array.from({ length: 23 }, (_, index) => {
      if (index % 5 === 0) now += 1;
      return connect({ name: `Linear ${index}`, credentials: null });
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), (limit) => {
        const ids = everything((filter) => state.connectors.list(scope, filter), limit);
        expect([...ids].sort()).toEqual(made.map(({ id }) => id).sort());
      }),
    );
  });

  it('goes on behind a connector that was deleted meanwhile', () => {
    const state = newState({ now: () => noon });
    const { scope, connect } = tenant(state);
    for (const name of ['a', 'b', 'c']) connect({ name });
    const all = state.connectors.list(scope, { limit: 3 }).rows;
    const { rows, next } = state.connectors.list(scope, { limit: 1 });
    state.connectors.delete(scope, rows[0]!.id);
    expect(state.connectors.list(scope, { limit: 5, cursor: next! }).rows).toEqual(all.slice(1));
  });

  it('keeps to a workspace and a type', () => {
    const state = newState();
    const { organization, scope, connect } = tenant(state);
    const second = state.workspaces.create(organization.id, 'second');
    const gong = connect({ workspaceId: second.id, type: 'gong', name: 'Gong' });
    const linear = connect();
    expect(state.connectors.list(scope, { limit: 5, workspaceName: 'second' }).rows).toEqual([gong]);
    expect(state.connectors.list(scope, { limit: 5, type: 'linear' }).rows).toEqual([linear]);
    expect(state.connectors.list(scope, { limit: 5, type: 'linear', workspaceName: 'second' }).rows).toEqual([]);
    expect(state.connectors.list(scope, { limit: 5, workspaceName: 'none' }).rows).toEqual([]);
    expect(state.connectors.list({ ...scope, workspaceId: second.id }, { limit: 5 }).rows).toEqual([gong]);
  });
});

describe('a cursor', () => {
  it('holds every position', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (createdAt, id) => {
        expect(readCursor(writeCursor({ createdAt, id }))).toEqual({ createdAt, id });
      }),
    );
  });

  it('that was never given is refused', () => {
    const { connectors } = newState();
    const garbage = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((json) => Buffer.from(json).toString('base64url')),
    );
    fc.assert(
      fc.property(garbage, (cursor) => {
        expect(() => connectors.list({ organizationId: 'org_a' }, { limit: 1, cursor })).toThrow(InvalidCursor);
      }),
    );
  });
});
