import type { File } from './records.js';

interface FilePage {
  readonly params: {
    readonly q?: string | undefined;
    readonly pageToken?: string | undefined;
    readonly includeItemsFromAllDrives?: boolean | undefined;
    readonly driveId?: string | undefined;
    readonly corpora?: string | undefined;
  };
  readonly body: { readonly nextPageToken?: string; readonly incompleteSearch?: boolean };
  readonly data: ReadonlyArray<Partial<File>>;
}

/** Whether the list is empty across all pages. */
const isEmpty = ({
  params,
  body,
  data,
}: Pick<FilePage, 'body' | 'data'> & { params: { pageToken?: string | undefined } }) =>
  data.length === 0 && params.pageToken === undefined && !body.nextPageToken;

/** Notes on a page of files: whether it includes trashed files, and whether shared drives were searched. */
export function fileNotes(page: FilePage): Array<string | false> {
  const { params, body, data } = page;
  const { q = '', corpora, driveId } = params;
  const drivesIncluded = params.includeItemsFromAllDrives ?? (driveId !== undefined || (corpora ?? 'user') !== 'user');
  return [
    // Without `trashed` in the mask, trashed files cannot be identified.
    !/\btrashed\b/.test(q) &&
      data.some(({ trashed }) => trashed !== false) &&
      'Trashed files are included. Add trashed=false to q to exclude them.',
    !drivesIncluded &&
      isEmpty(page) &&
      "Shared drives were not searched. Pass corpora 'allDrives', or driveId for a single drive.",
    body.incompleteSearch === true &&
      "Not all shared drives were searched. For complete results, pass corpora 'user', or driveId for one drive at a time.",
  ];
}
