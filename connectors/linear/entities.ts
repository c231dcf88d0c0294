import * as z from 'zod';
import { entity } from '../../src/authoring.js';
import { IssueFilter, ProjectFilter } from './filters.js';
import {
  commentConnection,
  connection,
  createMutation,
  extension,
  filteredConnection,
  id,
  issueId,
  node,
  projectId,
  teamId,
  updateMutation,
} from './operations.js';
import { projectStates, withStatus } from './project-status.js';
import { Comment, Issue, Project, SavedIssue, Team, User, WorkflowState } from './records.js';
import * as searchable from './searchable.js';

const title = z.string().trim().min(1).describe('Plain text, one line.');
const name = title.describe('Project name.');
const markdown = z.string().nullable().optional();
const nullableId = (description: string) => id(description).nullable().optional().describe(description);
const day = (description: string) =>
  z.iso.date().nullable().optional().describe(`${description}, YYYY-MM-DD; null clears it.`);

const issueFields = {
  description: markdown.describe('Markdown; null clears it.'),
  stateId: id('Id (not name) of a workflow state in the same team, from `workflow_states.list`.').optional(),
  priority: z.int().min(0).max(4).optional().describe('0 none, 1 urgent, 2 high, 3 medium, 4 low.'),
  projectId: nullableId('From `projects.list`; null removes the issue from its project.'),
};

const issueExtensions = {
  labelIds: z.array(id('A label.')).optional().describe('Label ids; replaces all labels.').meta(extension),
  dueDate: day('Due date').meta(extension),
  parentId: nullableId('Id of the parent issue; null makes it a top-level issue.').meta(extension),
};
const assigneeId = nullableId('From `users.list`; null unassigns.');

const projectFields = {
  description: z.string().max(255).optional().describe('Short description, up to 255 characters.'),
  state: z.enum(projectStates).optional().describe('Status type. The project gets the first status of that type.'),
  startDate: day('Planned start'),
  targetDate: day('Planned end'),
  leadId: nullableId('From `users.list`; null for no lead.'),
};

const body = z.string().min(1).describe('Markdown.');

export const issues = entity({
  description: 'Issues in all visible teams.',
  search: searchable.issues,
  actions: {
    list: filteredConnection('List issues, newest first.', 'issues', Issue, 'issue', {
      type: 'IssueFilter',
      schema: IssueFilter,
      example: '{"state":{"name":{"eq":"Todo"}}}',
    }),
    get: node('Get one issue.', 'issue', Issue, 'issue', { id: issueId, example: 'ENG-1' }),
    create: createMutation({
      description: 'Create an issue in a team.',
      key: 'issue',
      params: z.strictObject({
        teamId: id('Team id (not key), from `teams.list`.'),
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
      description: 'Update an issue. Omitted fields are unchanged.',
      key: 'issue',
      params: z.strictObject({
        id: issueId,
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
});

export const projects = entity({
  description: 'Projects group issues from one or more teams around a common goal.',
  search: searchable.projects,
  actions: {
    list: filteredConnection('List projects, newest first.', 'projects', Project, 'project', {
      type: 'ProjectFilter',
      schema: ProjectFilter,
      example: '{"status":{"type":{"eq":"started"}}}',
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
      description: 'Update a project. Omitted fields are unchanged.',
      key: 'project',
      params: z.strictObject({ id: projectId, name: name.optional(), ...projectFields }),
      record: Project,
      selected: 'project',
      prepare: withStatus,
      example: { id: 'd2f5d1a4-6a25-4a37-8d0b-5e3b2c1f9e10', state: 'started' },
    }),
  },
});

export const teams = entity({
  description: 'Teams, which own issues and workflow states.',
  search: searchable.teams,
  actions: {
    list: connection('List teams.', 'teams', Team, 'team'),
    get: node('Get one team.', 'team', Team, 'team', {
      id: teamId,
      example: 'ENG',
    }),
  },
});

export const workflow_states = entity({
  description: 'Issue states. Each belongs to one team, so names can repeat across teams.',
  search: searchable.workflowStates,
  actions: {
    list: connection('List workflow states for all teams.', 'workflowStates', WorkflowState, 'workflowState'),
  },
});

export const users = entity({
  description: 'Workspace members, excluding deactivated users.',
  search: searchable.users,
  actions: {
    list: connection('List users.', 'users', User, 'user', {
      description: 'Deactivated users are omitted.',
      note: 'Deactivated users are omitted. Use users.get to look them up by id.',
    }),
    get: node('Get one user.', 'user', User, 'user', {
      id: id('User id.'),
      example: '5a1c9b0e-7f1d-4c0e-9a63-0f2d8e4b7c11',
    }),
  },
});

export const comments = entity({
  description: 'Comments on issues.',
  search: searchable.comments,
  actions: {
    list: commentConnection(Comment),
    get: node('Get one comment.', 'comment', Comment, 'comment', {
      id: id('Comment id.'),
      example: 'a3f0b7d2-1c44-4f7e-8d59-6b2e9c1d0f35',
    }),
    create: createMutation({
      description: 'Comment on an issue.',
      key: 'comment',
      params: z.strictObject({ issueId, body }),
      record: Comment,
      selected: 'comment',
      example: { issueId: 'ENG-1', body: 'Reproduced on Safari 19.' },
    }),
    update: updateMutation({
      description: 'Rewrite a comment.',
      key: 'comment',
      params: z.strictObject({ id: id('Comment id.'), body }),
      record: Comment,
      selected: 'comment',
      example: { id: 'a3f0b7d2-1c44-4f7e-8d59-6b2e9c1d0f35', body: 'Reproduced on Safari 19 and 20.' },
    }),
  },
});
