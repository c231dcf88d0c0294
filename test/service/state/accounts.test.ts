import { describe, expect, it } from 'vitest';
import { StateConflict } from '../../../service/src/state/types.js';
import { newState, noon, tenant } from './fixtures.js';

describe('organizations', () => {
  it('are listed by their ids, in that order, without those that do not exist', () => {
    const { organizations } = newState();
    const [first, second] = [organizations.create('first'), organizations.create('second')];
    expect(organizations.list([second.id, 'org_none', first.id])).toEqual([second, first]);
    expect(organizations.all()).toHaveLength(2);
    expect(first.id).toMatch(/^org_[0-9A-Za-z]{20,}$/);
  });
});

describe('workspaces', () => {
  it('are found by name in their own organization alone', () => {
    const state = newState();
    const { workspace, scope } = tenant(state);
    const other = tenant(state, 'other');
    expect(state.workspaces.find(scope, 'default')).toEqual(workspace);
    expect(state.workspaces.find(other.scope, 'default')).toEqual(other.workspace);
    expect(state.workspaces.find({ organizationId: 'org_none' }, 'default')).toBeUndefined();
  });

  it('beyond the one that a token is for are not there', () => {
    let now = noon;
    const state = newState({ now: () => now });
    const { organization, workspace } = tenant(state);
    now += 1;
    const second = state.workspaces.create(organization.id, 'second');
    const scope = { organizationId: organization.id, workspaceId: workspace.id };
    expect(state.workspaces.list(scope)).toEqual([workspace]);
    expect(state.workspaces.find(scope, 'second')).toBeUndefined();
    expect(state.workspaces.delete(scope, 'second')).toBe(false);
    expect(state.workspaces.list({ organizationId: organization.id })).toEqual([workspace, second]);
  });

  it('have a name of their own in an organization', () => {
    const state = newState();
    const { organization } = tenant(state);
    expect(() => state.workspaces.create(organization.id, 'default')).toThrow(StateConflict);
    expect(() => state.workspaces.create('org_none', 'default')).toThrow(StateConflict);
  });

  it('take their connectors and credentials with them, and no others', () => {
    const state = newState();
    const { organization, scope, connect } = tenant(state);
    const kept = connect();
    const second = state.workspaces.create(organization.id, 'second');
    const lost = connect({ workspaceId: second.id });
    expect(state.workspaces.delete({ organizationId: 'org_none' }, 'second')).toBe(false);
    expect(state.workspaces.delete(scope, 'second')).toBe(true);
    expect(state.connectors.get(scope, lost.id)).toBeUndefined();
    expect(state.credentials.load(lost.id)).toBeUndefined();
    expect(state.credentials.load(kept.id)).toEqual({ api_key: 'lin_api_1' });
  });
});

describe('clients', () => {
  it('prove themselves with the secret that was given once', () => {
    const state = newState();
    const { organization } = tenant(state);
    const { client, secret } = state.clients.create('agent', [organization.id]);
    expect(secret).toMatch(/^acs_[\w-]{43}$/);
    expect(state.clients.verify(client.id, secret)).toEqual(client);
    expect(state.clients.verify(client.id, `${secret.slice(0, -1)}!`)).toBeUndefined();
    expect(state.clients.verify(client.id, '')).toBeUndefined();
    expect(state.clients.verify('cli_none', secret)).toBeUndefined();
    expect(JSON.stringify([client, state.clients.list()])).not.toContain(secret);
  });

  it('keep the order of their organizations', () => {
    const state = newState();
    const [a, b] = [state.organizations.create('a'), state.organizations.create('b')];
    const { client } = state.clients.create('agent', [b.id, a.id]);
    expect(state.clients.get(client.id)?.organizationIds).toEqual([b.id, a.id]);
  });

  it('are not made for an organization that does not exist', () => {
    const state = newState();
    expect(() => state.clients.create('agent', ['org_none'])).toThrow(StateConflict);
    expect(state.clients.list()).toEqual([]);
  });

  it('are gone at once when deleted', () => {
    const state = newState();
    const { client, secret } = state.clients.create('agent', [tenant(state).organization.id]);
    expect(state.clients.delete(client.id)).toBe(true);
    expect(state.clients.delete(client.id)).toBe(false);
    expect(state.clients.get(client.id)).toBeUndefined();
    expect(state.clients.verify(client.id, secret)).toBeUndefined();
  });
});
