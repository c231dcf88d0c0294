import { company } from '../../company.js';
import type { TeamRow, UserRow } from '../rows.js';
import { constants, listOf, type Resolvers, webAddress } from './resolver.js';

/** Computed fields of a user. */
export const userFields: Resolvers<UserRow> = {
  ...constants({
    app: false,
    avatarBackgroundColor: '#4f6bed',
    canAccessAnyPublicTeam: true,
    guest: false,
    inviteHash: '',
    isMentionable: true,
    supportsAgentSessions: false,
  }),
  initials: (user) =>
    user.name
      .split(/\s+/)
      .map((word) => [...word][0])
      .join('')
      .toUpperCase(),
  isAssignable: (user) => user.active,
  isMe: (user, _, { viewer }) => user.id === viewer.id,
  url: (user) => `${webAddress}/profiles/${user.displayName}`,
  createdIssueCount: (user, _, { workspace }) => workspace.issues.where('creatorId', user.id).length,
  assignedIssues: listOf('User.assignedIssues', 'Issue', (user: UserRow, { workspace }) =>
    workspace.issues.where('assigneeId', user.id),
  ),
  createdIssues: listOf('User.createdIssues', 'Issue', (user: UserRow, { workspace }) =>
    workspace.issues.where('creatorId', user.id),
  ),
  teams: listOf('User.teams', 'Team', (user: UserRow, { workspace }): readonly TeamRow[] =>
    workspace.teams.all().filter((team) => user.teamIds.includes(team.id)),
  ),
};

/** Computed fields of the organization, whose row is empty. */
export const organizationFields: Resolvers = {
  id: (_, __, { workspace }) => workspace.organizationId,
  name: () => company.name,
  urlKey: () => company.slug,
  createdAt: (_, __, { workspace }) => workspace.createdAt,
  updatedAt: (_, __, { workspace }) => workspace.createdAt,
  userCount: (_, __, { workspace }) => workspace.users.where('active', true).length,
  createdIssueCount: (_, __, { workspace }) => workspace.issues.size,
};
