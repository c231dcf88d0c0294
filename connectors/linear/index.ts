/**
 * Linear: the connector and the types of its records.
 * @module agent-connectors/linear
 */
import { accessToken, apiKey, connector, oauthRefresh, VERSION } from '../../src/authoring.js';
import { comments, issues, projects, teams, users, workflow_states } from './entities.js';
import { budgets, fault } from './faults.js';

export type { Comment, Issue, Project, SavedIssue, StateType, Team, User, WorkflowState } from './records.js';

/** Linear issues, projects, teams, workflow states, users and comments. */
export class LinearConnector extends connector({
  name: 'linear',
  title: 'Linear',
  description: 'Linear issues, projects, teams, workflow states, users and comments.',
  version: VERSION,
  definitionId: '1c5d8316-ed42-4473-8fbc-2626f03f070c',
  guide: () => import('./guide.md'),
  setup: () => import('./setup.js'),
  endpoints: { api: 'https://api.linear.app' },
  auth: {
    api_key: apiKey('Personal API key, from Settings > Security & access in Linear; starts with lin_api_.', 'plain'),
    access_token: accessToken('OAuth access token, valid for 24 hours.'),
    oauth: oauthRefresh('OAuth application with a refresh token and the read and write scopes.', {
      path: '/oauth/token',
      style: 'form',
      revoke: '/oauth/revoke',
      authorize: { url: 'https://linear.app/oauth/authorize', scopes: ['read', 'write'], separator: ',' },
    }),
  },
  limits: { learn: budgets },
  fault,
  replication: () => import('./replication/index.js'),
  // linear.app/developers/oauth-2-0-authentication
  scopes: {
    '*': ['read'],
    'issues.create': ['write', 'issues:create'],
    'issues.update': ['write'],
    'projects.create': ['write'],
    'projects.update': ['write'],
    'comments.create': ['write', 'comments:create'],
    'comments.update': ['write'],
  },
  relations: {
    issues: {
      'state.id': 'workflow_states',
      'assignee.id': 'users',
      'team.id': 'teams',
      'project.id': 'projects',
      'parent.id': 'issues',
      teamId: 'teams',
      stateId: 'workflow_states',
      assigneeId: 'users',
      creatorId: 'users',
      projectId: 'projects',
      parentId: 'issues',
    },
    projects: { 'lead.id': 'users', teamIds: 'teams', leadId: 'users', creatorId: 'users' },
    workflow_states: { 'team.id': 'teams', teamId: 'teams' },
    users: { teamIds: 'teams' },
    comments: { 'user.id': 'users', 'issue.id': 'issues', issueId: 'issues', author: 'users' },
  },
  entities: { issues, projects, teams, workflow_states, users, comments },
}) {}
