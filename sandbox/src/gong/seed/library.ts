import type { CallRow, FolderCallRow, FolderRow, UserRow, WorkspaceRow } from '../rows.js';
import { idFrom, randomFor } from './ids.js';

const day = 86_400_000;

/** Folder names, each with its parent and number of calls. */
const tree: readonly (readonly [string, string | null, number])[] = [
  ['Fernhill library', null, 0],
  ['Calls worth hearing', 'Fernhill library', 12],
  ['Win / Loss', 'Fernhill library', 6],
  ['Bank feeds', 'Calls worth hearing', 4],
  ['Objections & prices', 'Win / Loss', 5],
  ['New colleagues', 'Fernhill library', 0],
];

/** The library: one root folder, an empty folder, and some private calls. */
export function seedLibrary(
  seed: number,
  start: number,
  users: readonly UserRow[],
  workspaces: readonly WorkspaceRow[],
  calls: readonly CallRow[],
): FolderRow[] {
  const processedCalls = calls.filter(({ ready }) => ready < start);
  const folders: FolderRow[] = [];
  for (const [index, [name, parent, count]] of tree.entries()) {
    const random = randomFor(seed, 'folder', index);
    folders.push({
      id: idFrom(random),
      name,
      workspaceId: workspaces[index === 5 ? 1 : 0]!.id,
      parentId: folders.find((folder) => folder.name === parent)?.id ?? null,
      createdBy: index < 2 ? null : users[1 + (index % 2)]!.id,
      updated: start - (80 - index * 9) * day + random.between(0, day),
      calls: pickCalls(name, processedCalls, count, index).map((call, row): FolderCallRow => {
        const from = random.between(5, Math.max(6, Math.floor(call.duration / 2)));
        return {
          callId: call.id,
          note: row % 3 === 2 ? '' : `How ${call.occasion.customer ?? 'we'} put it`,
          addedBy: users[1 + (row % 4)]!.id,
          added: Math.min(call.started + random.between(1, 20) * day, start - 3_600_000),
          from,
          to: Math.min(call.duration, from + random.between(20, 300)),
        };
      }),
    });
  }
  return folders;
}

function pickCalls(name: string, calls: readonly CallRow[], count: number, folderIndex: number): CallRow[] {
  if (count === 0) return [];
  const matching =
    name === 'Bank feeds' ? calls.filter(({ occasion }) => occasion.project === 'Bank feeds 2.0') : calls;
  const hidden = name === 'Calls worth hearing' ? calls.filter(({ isPrivate }) => isPrivate).slice(-2) : [];
  const step = Math.max(1, Math.floor(matching.length / count));
  const spread = matching.filter((_, index) => index % step === folderIndex % step);
  return [...new Set([...hidden, ...spread])].slice(0, count);
}
