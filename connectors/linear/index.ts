/**
 * Linear: the connector and the types of its records.
 * @module agent-connectors/linear
 */
import * as z from 'zod';
import { accessToken, apiKey, connector, entity, oauthRefresh, VERSION } from '../../src/authoring.js';
import { budgets, fault } from './faults.js';
import { IssueFilter, ProjectFilter } from './filters.js';
import {
  connection,
  createMutation,
  extension,
  filteredConnection,
  id,
  nestedConnection,
  node,
  updateMutation,
} from './operations.js';
import { projectStates, withStatus } from './project-status.js';
import { Comment, Issue, Project, SavedIssue, Team, User, WorkflowState } from './records.js';
import * as searchable from './searchable.js';

export type { Comment, Issue, Project, SavedIssue, Team, User, WorkflowState } from './records.js';

const title = z.string().trim().min(1).describe('One line of plain text.');
const name = title.describe('Name of the project.');
const markdown = z.string().nullable().optional();
const nullableId = (description: string) => z.string().trim().min(1).nullable().optional().describe(description);
const day = (description: string) =>
  z.iso.date().nullable().optional().describe(`${description}, YYYY-MM-DD; null clears it.`);

const issueFields = {
  description: markdown.describe('Markdown; null clears it.'),
  stateId: id('A state of the same team, from `workflow_states.list`; an id, not a name.').optional(),
  priority: z.int().min(0).max(4).optional().describe('0 none, 1 urgent, 2 high, 3 medium, 4 low.'),
  projectId: nullableId('From `projects.list`; null takes it out of its project.'),
};

const issueExtensions = {
  labelIds: z
    .array(id('A label.'))
    .optional()
    .describe('Ids of labels, such as those that issues have; replaces all labels.')
    .meta(extension),
  dueDate: day('Day on which it is due').meta(extension),
  parentId: nullableId('The issue of which this is a sub-issue: its id; null makes it an issue of its own.').meta(
    extension,
  ),
};
const assigneeId = nullableId('From `users.list`; null unassigns, left out leaves the assignee.');

const projectFields = {
  description: z.string().max(255).optional().describe('Short description, at most 255 characters.'),
  state: z
    .enum(projectStates)
    .optional()
    .describe('Type of the status to set; the first status of that type is taken.'),
  startDate: day('Planned start'),
  targetDate: day('Planned end'),
  leadId: nullableId('From `users.list`; null for no lead.'),
};

const issueId = 'The issue: its id, or its identifier such as ENG-123.';
const projectId = 'The project: its id, or the slug at the end of its address.';
const body = z.string().min(1).describe('Markdown.');

/** Issues, projects, teams, workflow states, users and comments of a Linear workspace. */
export class LinearConnector extends connector({
  name: 'linear',
  title: 'Linear',
  description: 'Issues, projects, teams, workflow states, users and comments of a Linear workspace.',
  version: VERSION,
  definitionId: '1c5d8316-ed42-4473-8fbc-2626f03f070c',
  guide: () => import('./guide.md'),
  setup: () => import('./setup.js'),
  endpoints: { api: 'https://api.linear.app' },
  auth: {
    api_key: apiKey('Personal API key, from Settings, Security & access in Linear; it begins with lin_api_.', 'plain'),
    access_token: accessToken('OAuth access token, valid for 24 hours.'),
    oauth: oauthRefresh('OAuth application with a refresh token, for the scopes read and write.', {
      path: '/oauth/token',
      style: 'form',
      revoke: '/oauth/revoke',
      authorize: { url: 'https://linear.app/oauth/authorize', scopes: ['read', 'write'], separator: ',' },
    }),
  },
  limits: { learn: budgets },
  fault,
  replication: () => import('./replication/index.js'),
  entities: {
    issues: entity({
      description: 'Issues of all teams that the credentials can see.',
      search: searchable.issues,
      actions: {
        list: filteredConnection('List issues, the newest first.', 'issues', Issue, 'issue', {
          type: 'IssueFilter',
          schema: IssueFilter,
        }),
        get: node('Get one issue.', 'issue', Issue, 'issue', { id: issueId, example: 'ENG-1' }),
        create: createMutation({
          description: 'Create an issue in a team.',
          key: 'issue',
          params: z.strictObject({
            teamId: id('From `teams.list`; an id, not a key.'),
            title,
            ...issueFields,
            assigneeId: nullableId('From `users.list`.').meta(extension),
            ...issueExtensions,
          }),
          record: SavedIssue,
          selected: 'savedIssue',
          example: { teamId: '9cfb482a-81e3-4154-b5b9-2c805e70a02d', title: 'Sign-in fails on Safari', priority: 2 },
        }),
        update: updateMutation({
          description: 'Change an issue; what is left out stays as it is.',
          key: 'issue',
          params: z.strictObject({
            id: id(issueId),
            title: title.optional(),
            ...issueFields,
            assigneeId,
            ...issueExtensions,
          }),
          record: SavedIssue,
          selected: 'savedIssue',
          example: { id: 'ENG-1', priority: 1 },
        }),
      },
    }),
    projects: entity({
      description: 'Projects, which gather issues of one or more teams towards a goal.',
      search: searchable.projects,
      actions: {
        list: filteredConnection('List projects, the newest first.', 'projects', Project, 'project', {
          type: 'ProjectFilter',
          schema: ProjectFilter,
        }),
        get: node('Get one project.', 'project', Project, 'project', {
          id: projectId,
          example: 'd2f5d1a4-6a25-4a37-8d0b-5e3b2c1f9e10',
        }),
        create: createMutation({
          description: 'Create a project for one or more teams.',
          key: 'project',
          params: z.strictObject({
            name,
            teamIds: z.array(id('A team.')).min(1).describe('Ids from `teams.list`, at least one.'),
            ...projectFields,
          }),
          record: Project,
          selected: 'project',
          prepare: withStatus,
          example: { name: 'Faster search', teamIds: ['9cfb482a-81e3-4154-b5b9-2c805e70a02d'], state: 'planned' },
        }),
        update: updateMutation({
          description: 'Change a project; what is left out stays as it is.',
          key: 'project',
          params: z.strictObject({ id: id(projectId), name: name.optional(), ...projectFields }),
          record: Project,
          selected: 'project',
          prepare: withStatus,
          example: { id: 'd2f5d1a4-6a25-4a37-8d0b-5e3b2c1f9e10', state: 'started' },
        }),
      },
    }),
    teams: entity({
      description: 'Teams, which own issues and workflow states.',
      search: searchable.teams,
      actions: {
        list: connection('List teams.', 'teams', Team, 'team'),
        get: node('Get one team.', 'team', Team, 'team', {
          id: 'The team: its id, or its key such as ENG.',
          example: 'ENG',
        }),
      },
    }),
    workflow_states: entity({
      description: 'The states that issues can be in; each belongs to a team, and teams repeat the names.',
      search: searchable.workflowStates,
      actions: {
        list: connection('List workflow states of all teams.', 'workflowStates', WorkflowState, 'workflowState'),
      },
    }),
    users: entity({
      description: 'People in the workspace; deactivated ones are not listed.',
      search: searchable.users,
      actions: {
        list: connection('List users.', 'users', User, 'user', {
          description: 'Deactivated ones are left out.',
          note: 'Deactivated users are left out; users.get finds them by id.',
        }),
        get: node('Get one user.', 'user', User, 'user', {
          id: "The user's id.",
          example: '5a1c9b0e-7f1d-4c0e-9a63-0f2d8e4b7c11',
        }),
      },
    }),
    comments: entity({
      description: 'Comments on issues.',
      search: searchable.comments,
      actions: {
        list: nestedConnection('List the comments on one issue, the newest first.', 'comments', Comment, 'comment'),
        get: node('Get one comment.', 'comment', Comment, 'comment', {
          id: "The comment's id.",
          example: 'a3f0b7d2-1c44-4f7e-8d59-6b2e9c1d0f35',
        }),
        create: createMutation({
          description: 'Comment on an issue.',
          key: 'comment',
          params: z.strictObject({ issueId: id(issueId), body }),
          record: Comment,
          selected: 'comment',
          example: { issueId: 'ENG-1', body: 'Reproduced on Safari 19.' },
        }),
        update: updateMutation({
          description: 'Rewrite a comment.',
          key: 'comment',
          params: z.strictObject({ id: id("The comment's id."), body }),
          record: Comment,
          selected: 'comment',
          example: { id: 'a3f0b7d2-1c44-4f7e-8d59-6b2e9c1d0f35', body: 'Reproduced on Safari 19 and 20.' },
        }),
      },
    }),
  },
}) {}
