import { GongConnector } from 'agent-connectors/gong';
import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { GranolaConnector } from 'agent-connectors/granola';
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { beforeAll, describe, expect, it } from 'vitest';
import { failure } from '../failure.js';

const sandbox = createSandbox({ seed: 1 });
const { fetch, vendors } = sandbox;
vendors.gong.limits = { requestsPerSecond: 1_000_000 };
const common = { fetch, retries: 0 };
const linear = new LinearConnector({ ...common, credentials: vendors.linear.credentials.api_key });
const drive = new GoogleDriveConnector({ ...common, credentials: vendors['google-drive'].credentials.oauth });
const gong = new GongConnector({ ...common, credentials: vendors.gong.credentials.basic });
const granola = new GranolaConnector({ ...common, credentials: vendors.granola.credentials.api_key });
const analytics = new GoogleAnalyticsConnector({
  ...common,
  credentials: vendors['google-analytics'].credentials.oauth,
});

/** Issued cursors, by the list that issued them. */
const given: Record<string, string> = {};
beforeAll(async () => {
  given.issues = (await linear.issues.list({ first: 2 })).meta.endCursor!;
  given.files = (await drive.files.list({ pageSize: 2 })).meta.nextPageToken!;
  given.calls = (await gong.calls.list()).meta.cursor!;
});

/** The parts of an error that say what to do. */
async function refusal(call: Promise<unknown>) {
  const { code, issues, hint } = await failure(call);
  return { code, paths: issues?.map(({ path }) => path), hint };
}

describe('a cursor rejected by the vendor is reported with advice on how to start over', () => {
  it.each([
    ['a made-up cursor', () => linear.issues.list({ after: 'made-up' })],
    ['one from another list', () => linear.users.list({ after: given.issues! })],
  ])('in Linear: %s', async (_, call) => {
    const { code, paths, hint } = await refusal(call());
    expect([code, paths]).toEqual(['invalid_params', ['after']]);
    expect(hint).toMatch(/`meta\.endCursor`.*omit `after`/);
  });

  it.each([
    ['a made-up cursor', () => drive.files.list({ pageToken: 'made-up' })],
    ['one from another query', () => drive.files.list({ q: "name contains 'a'", pageToken: given.files! })],
    ['one from another list', () => drive.drives.list({ pageToken: given.files! })],
    ['one that is not from a change log', () => drive.changes.list({ pageToken: given.files! })],
  ])('in Google Drive: %s', async (_, call) => {
    const { code, paths, hint } = await refusal(call());
    expect([code, paths]).toEqual(['invalid_params', ['pageToken']]);
    expect(hint).toMatch(/omit pageToken.*changes_start_page_token\.get/);
    await expect(call()).rejects.toThrow('Google Drive: pageToken: Invalid Value.');
  });

  it.each([
    ['a made-up cursor', () => gong.calls.list({ cursor: 'made-up' })],
    ['one from another list', () => gong.call_transcripts.list({ filter: {}, cursor: given.calls! })],
  ])('in Gong: %s', async (_, call) => {
    const { code, paths, hint } = await refusal(call());
    expect([code, paths]).toEqual(['invalid_params', ['cursor']]);
    expect(hint).toMatch(/`meta\.cursor`.*omit cursor/);
  });

  it.each([
    ['a made-up cursor', () => granola.notes.list({ cursor: 'made-up' })],
    ['one from another connector', () => granola.notes.list({ cursor: given.calls! })],
  ])('in Granola: %s', async (_, call) => {
    const { code, paths, hint } = await refusal(call());
    expect([code, paths]).toEqual(['invalid_params', ['cursor']]);
    expect(hint).toMatch(/`meta\.cursor`.*omit cursor/);
  });
});

it('in Google Analytics, which uses row offsets: any cursor is rejected before anything is sent', async () => {
  const params = { property_id: vendors['google-analytics'].properties.website };
  const before = sandbox.requests.length;
  await expect(analytics.pages.list({ ...params, cursor: 'x' } as never)).rejects.toThrow("Did you mean 'offset'?");
  await expect(analytics.pages.list({ ...params, offset: 'x' } as never)).rejects.toThrow('offset must be a number');
  expect(sandbox.requests.length).toBe(before);
});
