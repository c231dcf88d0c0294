import * as z from 'zod';
import { ConnectorError, entity, path } from '../../src/authoring.js';
import { masks } from './masks.js';
import { fields, flag, getAction, id, listAction, pageParams, supportsAllDrives } from './operations.js';
import { About, Change, ChangePage, Drive, Page, StartPageToken } from './records.js';

const useDomainAdminAccess = flag('Ask as an administrator of the Workspace domain.');
const driveId = id('The id of a shared drive.');

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
          .describe("A query in Google's smaller language for drives, such as `name contains 'Sales'`."),
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

/** What has happened since a point in time. */
export const changes = entity({
  description: 'The log of changes to files and shared drives.',
  actions: {
    list: listAction({
      description:
        'List changes since a page token, the oldest first; none of shared drives unless driveId or includeItemsFromAllDrives asks for them. The last page says where to begin next time.',
      params: z.strictObject({
        pageToken: z
          .string()
          .min(1)
          .optional()
          .describe('From `changes_start_page_token.get` or the previous page; without it there is nothing to list.'),
        pageSize: pageParams(1000).pageSize,
        driveId: driveId.optional(),
        includeItemsFromAllDrives: flag('Whether to include items of shared drives; true where driveId is given.'),
        supportsAllDrives,
        spaces: z.string().min(1).optional().describe('Comma-separated: drive, appDataFolder.'),
        includeRemoved: flag('Whether to include what is gone; true when left out.'),
        restrictToMyDrive: flag('Whether to leave out what is not in My Drive.'),
      }),
      key: 'changes',
      record: Change,
      meta: ChangePage,
      mask: masks.change,
      target: ({ ...query }) => {
        if (query.pageToken === undefined) {
          throw new ConnectorError(
            'invalid_params',
            'changes.list: pageToken is required by Google; call changes_start_page_token.get first and pass its startPageToken.',
            {
              issues: [{ path: 'pageToken', message: 'is required; changes_start_page_token.get gives the first one' }],
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

/** Where the log of changes stands. */
export const changes_start_page_token = entity({
  description: 'Where the log of changes stands now.',
  actions: {
    get: getAction({
      description: 'Get the token from which later changes can be listed.',
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
  description: 'The user, their storage, and what their Drive can import and export.',
  actions: {
    get: getAction({
      description: 'Get the user, the storage quota and the formats for import and export.',
      params: z.strictObject({ fields }),
      record: About,
      mask: masks.about,
      target: (query) => ({ path: '/about', query }),
      example: { fields: 'user,storageQuota' },
    }),
  },
});
