import { createSandbox } from 'agent-connectors-sandbox';
import { expect, test } from 'vitest';
import { connectorOnSandbox } from '../connectors/gong/setup.js';
import { failure } from '../failure.js';

test('a call deleted in Gong is not in any list, and a hidden one is private', async () => {
  const { gong, sandbox } = connectorOnSandbox({ limits: { requestsPerSecond: 1_000 } });
  const { data } = await gong.calls.list();
  const [workspace] = (await gong.workspaces.list()).data;
  const folders = (await gong.library_folders.list({ workspaceId: workspace!.id })).data;
  const kept = (await Promise.all(folders.map(({ id }) => gong.library_folder_content.list({ folderId: id })))).flatMap(
    (folder) => folder.data.map(({ callId }) => callId),
  );
  const [deleted, hidden] = [
    data.find(({ id }) => kept.includes(id))!.id,
    data.find(({ id }) => !kept.includes(id))!.id,
  ];
  sandbox.vendors.gong.deleteCall(deleted);
  sandbox.vendors.gong.hideCall(hidden);
  expect((await failure(gong.calls.get({ id: deleted }))).code).toBe('not_found');
  expect((await gong.calls.get({ id: hidden })).data.isPrivate).toBe(true);
  const left = (await gong.calls.list()).data.map(({ id }) => id);
  expect(
    data
      .map(({ id }) => id)
      .filter((id) => !left.includes(id))
      .sort(),
  ).toEqual([deleted, hidden].sort());
  for (const { id } of folders) {
    const found = (await gong.library_folder_content.list({ folderId: id })).data.map(({ callId }) => callId);
    expect(found).not.toContain(deleted);
  }
  const changed = left[5]!;
  sandbox.vendors.gong.changeCall(changed, { title: 'Renewal' });
  expect((await gong.calls.get({ id: changed })).data.title).toBe('Renewal');
  sandbox.vendors.gong.changeCall(changed, { listedAt: sandbox.clock.now() + 1000 });
  expect((await failure(gong.calls.get({ id: changed }))).code).toBe('not_found');
  const other = createSandbox();
  other.load(JSON.parse(JSON.stringify(sandbox.dump())));
  expect(other.dump()).toEqual(sandbox.dump());
  sandbox.reset();
  expect((await gong.calls.get({ id: deleted })).data.isPrivate).toBe(false);
});
