import type { Random } from '../../random.js';
import type { FolderRow } from '../rows.js';
import { idFrom } from './ids.js';

/** Folder names with their parents. */
const tree = [
  ['Customers', null],
  ['Northwind Dairy', 'Customers'],
  ['Calder & Sons', 'Customers'],
  ['Kestrel Health', 'Customers'],
  ['Product', null],
  ['Roadmap', 'Product'],
  ['Quarterly planning', 'Roadmap'],
  ['Engineering', null],
  ['Incidents 🔥', 'Engineering'],
  ['Team weeklies', 'Engineering'],
  ['Hiring', null],
] as const;

/** The workspace's folders, three levels deep; the hiring folder is empty. */
export function seedFolders(random: Random): FolderRow[] {
  const folders: FolderRow[] = [];
  for (const [name, parent] of tree) {
    const parentId = folders.find((folder) => folder.name === parent)?.id ?? null;
    folders.push({ id: idFrom(random, 'fol'), name, parentId });
  }
  return folders;
}
