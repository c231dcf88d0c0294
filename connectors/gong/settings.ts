import * as z from 'zod';
import { action, entity, get, many, one, path } from '../../src/authoring.js';
import { Scorecard, Tracker } from './measures.js';
import { cursor, emptyIfNotFound, id, listIn, nextPageParams, Page, pageOf, unpaginatedList } from './operations.js';
import { User, Workspace } from './records.js';
import * as searchable from './searchable.js';

export const users = entity({
  description: 'Everyone who has or had a Gong seat.',
  search: searchable.users,
  actions: {
    list: action({
      description: 'List users.',
      params: z.strictObject({ cursor }),
      returns: many(User, Page),
      request: (params) => emptyIfNotFound(get('/v2/users', params), 'users'),
      read: (body) => ({ data: listIn(body, 'users'), meta: pageOf(body) }),
      next: nextPageParams,
      example: {},
    }),
    get: action({
      description: 'Get one user.',
      params: z.strictObject({ id: id('From `users.list`.') }),
      returns: one(User),
      request: (params) => get(path`/v2/users/${params.id}`),
      read: (body) => ({ data: body.user }),
      example: { id: '234599484848423' },
    }),
  },
});

export const workspaces = entity({
  description: 'Workspaces in the company.',
  actions: {
    list: unpaginatedList({
      description: 'List all workspaces.',
      params: z.strictObject({}),
      record: Workspace,
      key: 'workspaces',
      request: () => get('/v2/workspaces'),
      example: {},
    }),
  },
});

const workspaceId = id('Only scorecards in this workspace.').optional();

export const settings_scorecards = entity({
  description: 'Scorecard templates with their questions.',
  search: searchable.settings_scorecards,
  actions: {
    list: unpaginatedList({
      description: 'List all scorecards. workspaceId limits the list to scorecards in that workspace and shared ones.',
      params: z.strictObject({ workspaceId }),
      record: Scorecard,
      key: 'scorecards',
      request: () => get('/v2/settings/scorecards'),
      // Gong cannot filter scorecards by workspace.
      filterRecords: (records, { workspaceId: wanted }) =>
        wanted === undefined ? records : records.filter((record) => String(record.workspaceId ?? wanted) === wanted),
      example: {},
    }),
  },
});

export const settings_trackers = entity({
  description: 'Keyword trackers; smart trackers are not included.',
  actions: {
    list: unpaginatedList({
      description: 'List all trackers.',
      params: z.strictObject({ workspaceId }),
      record: Tracker,
      key: 'keywordTrackers',
      request: (params) => get('/v2/settings/trackers', params),
      example: {},
    }),
  },
});
