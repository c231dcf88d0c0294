import * as z from 'zod';
import { ConnectorError, type ExecuteOptions, entity, type Pages, path } from '../../src/authoring.js';
import { masks } from './masks.js';
import { fields, fileIdParam, flag, getAction, listAction, pageParams, supportsAllDrives } from './operations.js';
import { About, Change, ChangePage, Drive, Page, StartPageToken } from './records.js';

const useDomainAdminAccess = flag('Whether to make the request as a Workspace domain administrator.');
const driveId = fileIdParam('The id of a shared drive.');

/** Shared drives. */
export const drives = entity({
  description: 'Shared drives that the user is a member of.',
  actions: {
    list: listAction({
      description: 'List shared drives.',
      params: z.strictObject({
        ...pageParams(100),
        q: z
          .string()
          .min(1)
          .optional()
          .describe("A query in Google's drive search syntax, such as `name contains 'Sales'`."),
        useDomainAdminAccess,
      }),
      key: 'drives',
      record: Drive,
      meta: Page,
      mask: masks.drive,
      target: (query) => ({ path: '/drives', query }),
      example: { pageSize: 20 },
    }),
    get: getAction({
      description: 'Get one shared drive.',
      params: z.strictObject({ driveId, useDomainAdminAccess }),
      record: Drive,
      mask: masks.drive,
      target: ({ driveId, ...query }) => ({ path: path`/drives/${driveId}`, query }),
      example: { driveId: '0AO7PXlzQxbXqUk9PVA' },
    }),
  },
});

/** Changes since a page token. */
export const changes = entity({
  description: 'Log of changes to files and shared drives.',
  actions: {
    list: listAction({
      description:
        'List changes since a page token, oldest first. Shared drives require driveId or includeItemsFromAllDrives. The last page contains the start token for the next run.',
      params: z.strictObject({
        pageToken: z
          .string()
          .min(1)
          .optional()
          .describe('From `changes_start_page_token.get` or the previous page; required.'),
        pageSize: pageParams(1000).pageSize,
        driveId: driveId.optional(),
        includeItemsFromAllDrives: flag('Whether to include shared drive items; true if driveId is given.'),
        supportsAllDrives,
        spaces: z.string().min(1).optional().describe('Comma-separated: drive, appDataFolder.'),
        includeRemoved: flag('Whether to include removed items (default true).'),
        restrictToMyDrive: flag('Whether to limit the list to My Drive.'),
      }),
      key: 'changes',
      record: Change,
      meta: ChangePage,
      mask: masks.change,
      target: ({ ...query }) => {
        if (query.pageToken === undefined) {
          throw new ConnectorError(
            'invalid_params',
            'changes.list: Google requires pageToken. Call changes_start_page_token.get first and pass its startPageToken.',
            {
              issues: [
                { path: 'pageToken', message: 'is required; get the first one from changes_start_page_token.get' },
              ],
              docs: 'actions.changes.list',
            },
          );
        }
        if (query.driveId !== undefined) query.includeItemsFromAllDrives ??= true;
        return { path: '/changes', query };
      },
      example: { pageToken: '8675309' },
    }),
  },
});

/** The part of a connector that `changesSince` uses. */
interface ChangeLog {
  paginate(
    entity: 'changes',
    action: 'list',
    params: any,
    options?: ExecuteOptions,
  ): Pages<Change, { readonly newStartPageToken: string | null }>;
}

/**
 * Yields every change since a token, and returns the start token for next time.
 *
 * Store that token once all changes are processed; unlike page tokens it does not expire.
 */
export async function* changesSince(
  drive: ChangeLog,
  params: { readonly pageToken: string; readonly [name: string]: unknown },
  options?: ExecuteOptions,
): AsyncGenerator<Change, string> {
  let next: string | null = null;
  for await (const { data, meta } of drive.paginate('changes', 'list', params, options).pages()) {
    yield* data;
    next = meta.newStartPageToken;
  }
  if (next !== null) return next;
  throw new ConnectorError(
    'invalid_response',
    'The last page of the Google Drive change log has no start token for the next run.',
  );
}

/** The current position of the change log. */
export const changes_start_page_token = entity({
  description: 'Current position in the change log.',
  actions: {
    get: getAction({
      description: 'Get a token for listing future changes.',
      params: z.strictObject({ driveId: driveId.optional(), supportsAllDrives }),
      record: StartPageToken,
      mask: masks.startPageToken,
      target: (query) => ({ path: '/changes/startPageToken', query }),
      example: {},
    }),
  },
});

/** The user and their Drive. */
export const about = entity({
  description: 'The user, storage quota, and import and export formats.',
  actions: {
    get: getAction({
      description: 'Get the user, storage quota, and import and export formats.',
      params: z.strictObject({ fields }),
      record: About,
      mask: masks.about,
      target: (query) => ({ path: '/about', query }),
      example: { fields: 'user,storageQuota' },
    }),
  },
});
