import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, test } from 'vitest';
import { failure } from '../failure.js';
import { ShelfConnector } from './shelf.js';

const { fetch, vendors } = createSandbox({ seed: 7 });
const linear = new LinearConnector({ fetch, credentials: vendors.linear.credentials.api_key });
const drive = new GoogleDriveConnector({
  fetch,
  credentials: vendors['google-drive'].credentials.access_token,
});

describe("a result's view", () => {
  test('is full by default; if concise, records have only the fields listed in the description', async () => {
    const full = await linear.issues.list({ first: 2 });
    expect((await linear.issues.list({ first: 2 }, { view: 'full' })).data).toEqual(full.data);
    const { data, meta } = await linear.issues.list({ first: 2 }, { view: 'concise' });
    const [issue] = data;
    expect(Object.keys(issue!).sort()).toEqual(
      [
        'id',
        'identifier',
        'title',
        'state',
        'priority',
        'assignee',
        'project',
        'labels',
        'dueDate',
        'estimate',
        'createdAt',
        'updatedAt',
        'url',
      ].sort(),
    );
    expect(Object.keys(issue!.state!)).toEqual(['name']);
    expect(meta).toEqual(full.meta);
  });

  test('has more fields for a single record, and applies to the saved record of a write', async () => {
    const { data } = await linear.issues.get({ id: 'ENG-1' }, { view: 'concise' });
    expect(data).toHaveProperty('description');
    expect(data).not.toHaveProperty('labelIds');
    const changed = await linear.issues.update({ id: 'ENG-1', priority: 1 }, { view: 'concise' });
    expect(changed.data).toMatchObject({ success: true, issue: { identifier: 'ENG-1', priority: 1 } });
    expect(changed.data.issue).not.toHaveProperty('description');
  });

  test("is overridden by selectFields and by the action's own fields", async () => {
    const selected = await linear.issues.list({ first: 1 }, { view: 'concise', selectFields: ['labelIds'] });
    expect(Object.keys(selected.data[0]!)).toEqual(['labelIds']);
    const fields = 'files(id,version)';
    const { data } = await drive.files.list({ pageSize: 1, fields }, { view: 'concise' });
    expect(data[0]).toHaveProperty('version');
  });

  test('also applies excludeFields, and returns the full record if it has none of the concise fields', async () => {
    const { data } = await linear.issues.list({ first: 1 }, { view: 'concise', excludeFields: ['url'] });
    expect(data[0]).not.toHaveProperty('url');
    const other = { some: 'thing' };
    const stranger = new LinearConnector({ transport: async () => ({ data: [other], meta: {} }) });
    expect((await stranger.issues.list({}, { view: 'concise', raw: true })).data).toEqual([other]);
    const shelf = new ShelfConnector({ transport: async () => ({ data: other, meta: {} }) });
    expect((await shelf.execute('books', 'get', { id: 'x' }, { view: 'concise' })).data).toEqual(other);
  });

  test('must be concise or full', async () => {
    const error = await failure(linear.issues.list({}, { view: 'short' as 'full' }));
    expect(error.message).toContain("view must be 'concise' or 'full'");
  });
});
