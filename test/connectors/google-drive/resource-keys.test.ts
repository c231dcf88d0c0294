import { GoogleDriveConnector } from 'agent-connectors/google-drive';
import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';
import { failure } from '../../failure.js';
import { contentOf } from './setup.js';

const resourceKey = '0-aBcDeFgHiJkLmNoPqRsTuV';

/** The connector of a user who only knows a file's link, which requires the resource key. */
function withLinkedFile() {
  const sandbox = createSandbox({ seed: 7 });
  const state = structuredClone(sandbox.dump()) as any;
  const { files, blobs } = state.vendors['google-drive'].world;
  const kept = new Set(blobs.map(({ key }: { key: string }) => key));
  const file = files.find(
    (one: any) => one.owner && one.mimeType === 'application/pdf' && kept.has(one.revisions.at(-1)?.blob),
  );
  file.owner = 'tomas.aguirre';
  file.viewedBy = {};
  delete file.parent;
  file.permissions = [{ id: 'anyoneWithLink', type: 'anyone', role: 'writer', allowFileDiscovery: false }];
  file.resourceKey = resourceKey;
  sandbox.load(state);
  const credentials = sandbox.vendors['google-drive'].credentials.access_token;
  return { sandbox, drive: new GoogleDriveConnector({ credentials, fetch: sandbox.fetch }), fileId: file.id as string };
}

test('a file that needs its resource key is not found without it, and the hint says so', async () => {
  const { drive, fileId } = withLinkedFile();
  const error = await failure(drive.files.get({ fileId }));
  expect(error.code).toBe('not_found');
  expect(error.hint).toContain('resourceKey');
  expect((await failure(drive.files.download({ fileId, resourceKey: 'another' }))).code).toBe('not_found');
});

test('sends a resource key with every request for its file', async () => {
  const { drive, fileId, sandbox } = withLinkedFile();
  const file = { fileId, resourceKey };
  expect((await drive.files.get(file)).data).toMatchObject({ id: fileId, resourceKey });
  expect((await contentOf(await drive.files.download(file))).length).toBeGreaterThan(100);
  await drive.comments.list(file);
  await drive.revisions.list(file);
  await drive.files.update({ ...file, description: 'found' });
  const sent = sandbox.requests.map(({ headers }) => headers['x-goog-drive-resource-keys']);
  expect(sent).toEqual(sent.map(() => `${fileId}/${resourceKey}`));
});

test("a parameter missing from Google's reference is marked as an extension", () => {
  const { actions } = GoogleDriveConnector.describe().entities.find(({ name }) => name === 'files_export')!;
  const { properties } = actions[0]!.params as { properties: Record<string, { extension?: boolean }> };
  expect(properties.resourceKey!.extension).toBe(true);
});
