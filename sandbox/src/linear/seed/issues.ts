import { stories } from '../../company-stories.js';
import { identifierOf } from '../../stories.js';
import { isoOf } from '../mutate.js';
import type { IssueRow, ProjectRow, WorkflowStateRow } from '../rows.js';
import type { SeedContext } from './seed.js';
import { seedTeams } from './teams.js';
import { descriptionFor } from './texts.js';
import { titleFor } from './titles.js';

const day = 86_400_000;
const issuesAtScaleOne = 300;

interface TeamSeedState {
  id: string;
  key: string;
  share: number;
  states: readonly WorkflowStateRow[];
  people: string[];
  projects: ProjectRow[];
  issues: IssueRow[];
}

/** Adds the issues of all teams, oldest first. */
export function seedIssues(seed: SeedContext): void {
  const { workspace, random, now, startedAt } = seed;
  const total = Math.round(issuesAtScaleOne * seed.scale);
  const teams = seedTeams.map((team) => teamSeedStateOf(seed, team.key, team.share));
  for (let index = 0; index < total; index += 1) {
    const team = pickTeam(teams, random.next());
    // The square root makes issues more frequent toward the present.
    const share = Math.sqrt((index + 0.5 + random.next() * 0.4) / (total + 1));
    const created = startedAt + 20 * day + share * (now - startedAt - 20 * day - 600_000);
    const issue = applyStory(seed, team.key, issueOf(seed, team, created));
    team.issues.push(issue);
    workspace.issues.insert(issue);
  }
  for (const team of teams) {
    const row = workspace.teams.get(team.id)!;
    workspace.teams.change(row, { lastNumber: team.issues.length });
  }
}

function teamSeedStateOf({ workspace, teamId }: SeedContext, key: string, share: number): TeamSeedState {
  const id = teamId(key);
  const members = workspace.users.all().filter((user) => user.teamIds.includes(id));
  return {
    id,
    key,
    share,
    states: workspace.workflowStates.where('teamId', id),
    people: members.map((user) => user.id),
    projects: workspace.projects.all().filter((project) => project.teamIds.includes(id)),
    issues: [],
  };
}

function pickTeam(teams: readonly TeamSeedState[], draw: number): TeamSeedState {
  let rest = draw;
  for (const team of teams) {
    rest -= team.share;
    if (rest < 0) return team;
  }
  return teams[0]!;
}

function issueOf({ workspace, random, now }: SeedContext, team: TeamSeedState, created: number): IssueRow {
  const number = team.issues.length + 1;
  const stateName = stateFor(random.next(), (now - created) / day);
  const state = team.states.find(({ name }) => name === stateName)!;
  const started = created + random.next() * Math.min(now - created, 9 * day);
  const ended = started + random.next() * Math.min(now - started, 30 * day);
  const isDone = state.type === 'completed';
  const isDropped = state.type === 'canceled' || state.type === 'duplicate';
  const isUnderWay = state.type === 'started' || isDone;
  const isArchived = (isDone || isDropped) && now - ended > 200 * day && random.chance(0.35);
  const project = team.projects.length > 0 && random.chance(0.55) ? random.pick(team.projects) : undefined;
  const milestones = project ? workspace.projectMilestones.where('projectId', project.id) : [];
  const last = isDone || isDropped ? ended : isUnderWay ? started : created;
  const isFromRobot = random.chance(0.03);
  return {
    id: random.uuid(),
    createdAt: isoOf(created),
    updatedAt: isoOf(Math.min(now - 60_000, last + random.next() * 2 * day)),
    archivedAt: isArchived ? isoOf(ended + 190 * day) : null,
    number,
    title: titleFor(random, team.key),
    description: descriptionFor(random),
    priority: random.pick([0, 0, 1, 2, 2, 3, 3, 3, 4]),
    estimate: random.pick([null, null, 1, 2, 3, 5, 8]),
    sortOrder: -number * 10.5,
    teamId: team.id,
    stateId: state.id,
    assigneeId: isUnderWay || random.chance(0.5) ? random.pick(team.people) : null,
    creatorId: isFromRobot ? null : random.pick(team.people),
    projectId: project?.id ?? null,
    projectMilestoneId: milestones.length > 0 && random.chance(0.5) ? random.pick(milestones).id : null,
    parentId: number > 5 && random.chance(0.08) ? random.pick(team.issues).id : null,
    dueDate: random.chance(0.18) ? isoOf(created + random.between(5, 60) * day).slice(0, 10) : null,
    startedAt: isUnderWay ? isoOf(started) : null,
    completedAt: isDone ? isoOf(ended) : null,
    canceledAt: isDropped ? isoOf(ended) : null,
    snoozedUntilAt: null,
    snoozedById: null,
    cycleId: null,
    addedToCycleAt: null,
    labelIds: [],
    subscriberIds: [],
    sourceCommentId: null,
    integrationSourceType: null,
    subIssueSortOrder: null,
    previousIdentifiers: [],
    trashed: null,
    botActor: isFromRobot ? monitor : null,
  };
}

const monitor = {
  id: 'a7c5f2d0-31b8-4f6e-9a44-0c1d6b1a9e77',
  type: 'sentry',
  subType: null,
  name: 'Sentry',
  userDisplayName: null,
  avatarUrl: null,
};

function stateFor(draw: number, ageInDays: number): string {
  if (ageInDays < 3 && draw < 0.5) return 'Triage';
  if (ageInDays > 45) {
    if (draw < 0.66) return 'Done';
    if (draw < 0.76) return 'Canceled';
    if (draw < 0.81) return 'Duplicate';
    return draw < 0.95 ? 'Backlog' : 'Todo';
  }
  if (draw < 0.06) return 'Triage';
  if (draw < 0.28) return 'Backlog';
  if (draw < 0.48) return 'Todo';
  if (draw < 0.66) return 'In Progress';
  if (draw < 0.78) return 'In Review';
  return draw < 0.95 ? 'Done' : 'Canceled';
}

const hour = 3_600_000;
const storiesByIssue = new Map(stories.map(({ issue, project }) => [identifierOf(issue), { issue, project }]));

/** Applies a story to the issue with the story's team and number, if there is one. */
function applyStory(seed: SeedContext, teamKey: string, row: IssueRow): IssueRow {
  const story = storiesByIssue.get(`${teamKey}-${row.number}`);
  if (!story) return row;
  const { issue, project } = story;
  const { workspace } = seed;
  const state = workspace.workflowStates.where('teamId', row.teamId).find(({ name }) => name === issue.state)!;
  const created = Date.parse(row.createdAt);
  const isDone = state.type === 'completed';
  const isUnderWay = isDone || state.type === 'started';
  const changed = isDone ? created + 72 * hour : isUnderWay ? created + 20 * hour : created;
  return {
    ...row,
    title: issue.title,
    description: issue.description,
    stateId: state.id,
    priority: 2,
    archivedAt: null,
    parentId: null,
    projectMilestoneId: null,
    botActor: null,
    canceledAt: null,
    assigneeId: seed.userId(issue.assignee),
    creatorId: seed.userId(issue.reporter),
    projectId: workspace.projects.all().find(({ name }) => name === project)?.id ?? null,
    updatedAt: isoOf(Math.min(changed, seed.now - 60_000)),
    startedAt: isUnderWay ? isoOf(Math.min(created + 20 * hour, seed.now - 60_000)) : null,
    completedAt: isDone ? isoOf(Math.min(changed, seed.now - 60_000)) : null,
  };
}
