import type { LinearContext } from '../context.js';
import type { ProjectRow, TeamRow, UserRow, WorkflowStateRow } from '../rows.js';
import { constants, listOf, type Resolvers } from './resolver.js';

/** The first state of a type in a team's workflow. */
export function stateOfType({ workspace }: Pick<LinearContext, 'workspace'>, teamId: string, type: string) {
  const states = workspace.workflowStates.where('teamId', teamId).filter((state) => state.type === type);
  return states.sort((a, b) => a.position - b.position)[0];
}

/** Computed fields of a team. */
export const teamFields: Resolvers<TeamRow> = {
  ...constants({
    aiDiscussionSummariesEnabled: false,
    aiThreadSummariesEnabled: false,
    allMembersCanJoin: true,
    autoArchivePeriod: 6,
    autoCloseChildIssues: false,
    autoCloseParentIssues: false,
    cycleCooldownTime: 0,
    cycleDuration: 2,
    cycleIssueAutoAssignCompleted: false,
    cycleIssueAutoAssignStarted: false,
    cycleLockToActive: false,
    cycleStartDay: 1,
    defaultIssueEstimate: 1,
    groupIssueHistory: true,
    inheritIssueEstimation: false,
    inheritWorkflowStatuses: false,
    inviteHash: '',
    issueEstimationAllowZero: false,
    issueEstimationExtended: false,
    issueEstimationType: 'fibonacci',
    issueOrderingNoPriorityFirst: false,
    issueSortOrderDefaultToBottom: false,
    ledInitiativeCount: 0,
    private: false,
    requirePriorityToLeaveTriage: false,
    scimManaged: false,
    securitySettings: {},
    setIssueSortOrderOnStateChange: 'default',
    slackIssueComments: false,
    slackIssueStatuses: false,
    slackNewIssue: false,
    triageEnabled: true,
    upcomingCycleCount: 0,
    visibility: 'public',
  }),
  displayName: (team) => team.name,
  parent: (team, _, { workspace }) => workspace.teams.get(team.parentId),
  cyclesEnabled: (team, _, { workspace }) => workspace.cycles.where('teamId', team.id).length > 0,
  activeCycle: (team, _, { workspace, now }) =>
    workspace.cycles
      .where('teamId', team.id)
      .find(({ startsAt, endsAt }) => Date.parse(startsAt) <= now && now < Date.parse(endsAt)),
  cycleCalenderUrl: (team) => `https://api.linear.app/cycles/${team.id}.ics`,
  defaultIssueState: (team, _, context) => stateOfType(context, team.id, 'backlog'),
  triageIssueState: (team, _, context) => stateOfType(context, team.id, 'triage'),
  startWorkflowState: (team, _, context) => stateOfType(context, team.id, 'started'),
  mergeWorkflowState: (team, _, context) => stateOfType(context, team.id, 'completed'),
  markedAsDuplicateWorkflowState: (team, _, context) => stateOfType(context, team.id, 'duplicate'),
  issueCount: (team, { includeArchived }: { includeArchived: boolean }, { workspace }) =>
    workspace.issues.where('teamId', team.id).filter((issue) => includeArchived || issue.archivedAt === null).length,
  issues: listOf('Team.issues', 'Issue', (team: TeamRow, { workspace }) => workspace.issues.where('teamId', team.id)),
  states: listOf('Team.states', 'WorkflowState', (team: TeamRow, { workspace }) =>
    workspace.workflowStates.where('teamId', team.id),
  ),
  members: listOf('Team.members', 'User', (team: TeamRow, { workspace }): readonly UserRow[] =>
    workspace.users.all().filter((user) => user.teamIds.includes(team.id)),
  ),
  projects: listOf('Team.projects', 'Project', (team: TeamRow, { workspace }): readonly ProjectRow[] =>
    workspace.projects.all().filter((project) => project.teamIds.includes(team.id)),
  ),
};

/** Computed fields of a workflow state. */
export const workflowStateFields: Resolvers<WorkflowStateRow> = {
  team: (state, _, { workspace }) => workspace.teams.get(state.teamId),
  inheritedFrom: (state, _, { workspace }) => workspace.workflowStates.get(state.inheritedFromId),
  issues: listOf('WorkflowState.issues', 'Issue', (state: WorkflowStateRow, { workspace }) =>
    workspace.issues.where('stateId', state.id),
  ),
};
