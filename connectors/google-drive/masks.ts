import type { RecordShape } from '../../src/authoring.js';
import { About, Change, Comment, Drive, File, Permission, Reply, Revision, StartPageToken } from './records.js';

const allFields = ({ keys }: RecordShape) => keys.join(',');

/** Fields requested for each record: without a mask, Google returns only four file fields. */
export const masks = {
  file: allFields(File),
  drive: allFields(Drive),
  permission: allFields(Permission),
  comment: allFields(Comment),
  reply: allFields(Reply),
  revision: allFields(Revision),
  change: Change.keys
    .map((key) => (key === 'file' ? `file(${allFields(File)})` : key === 'drive' ? `drive(${allFields(Drive)})` : key))
    .join(','),
  startPageToken: allFields(StartPageToken),
  about: allFields(About),
} as const;

/**
 * A list's mask: the caller's own, or the default for its records. The page token is always included, since paging
 * would stop without it.
 */
export function listMask(own: string | undefined, key: string, record: string, meta: readonly string[]): string {
  // Every response has a kind, which tells an empty page from a response that is not Google's.
  if (own === undefined) return ['kind', ...meta, `${key}(${record})`].join(',');
  // Google interprets masks literally: `*` inside another field applies only there.
  let top = own;
  while (/\([^()]*\)/.test(top)) top = top.replace(/\([^()]*\)/g, '');
  const isPaged = top.split(',').some((name) => ['*', 'nextPageToken'].includes(name.trim()));
  return isPaged ? own : `nextPageToken,${own}`;
}
