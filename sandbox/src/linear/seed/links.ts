import type { Random } from '../../random.js';
import { isoOf } from '../mutate.js';
import type { IssueRow } from '../rows.js';
import type { Workspace } from '../state.js';
import type { SeedContext } from './seed.js';

const day = 86_400_000;
const week = 7 * day;

const labels = [
  { name: 'Bug', color: '#eb5757', team: null },
  { name: 'Feature', color: '#bb87fc', team: null },
  { name: 'Improvement', color: '#4ea7fc', team: null },
  { name: 'Customer request', color: '#f2c94c', team: null },
  { name: 'Flaky', color: '#95a2b3', team: 'ENG' },
  { name: 'Crash', color: '#eb5757', team: 'MOB' },
] as const;

const relationTypes = ['related', 'blocks', 'duplicate'] as const;

/** Adds links to issues, projects and teams, using a separate random generator so that other data stays the same. */
export function seedLinks(seed: SeedContext, random: Random): void {
  addLabels(seed, random);
  addCycles(seed, random);
  addToIssues(seed, random);
  addToTeams(seed);
  const { workspace } = seed;
  const [first] = workspace.users.all();
  if (first) first.avatarUrl = `https://public.linear.app/${first.id}/avatar.png`;
  const [origin] = workspace.issues.all();
  const [project] = workspace.projects.all();
  if (project && origin) Object.assign(project, { convertedFromIssueId: origin.id, icon: 'Rocket' });
  const resolved = workspace.comments.all().find(({ resolvedAt }) => resolvedAt !== null);
  const answer = workspace.comments.all().find(({ parentId }) => parentId === resolved?.id);
  if (resolved) resolved.resolvingCommentId = (answer ?? resolved).id;
}

function addLabels({ workspace, startedAt, teamId }: SeedContext, random: Random): void {
  for (const { name, color, team } of labels) {
    const createdAt = isoOf(startedAt);
    const always = { id: random.uuid(), createdAt, updatedAt: createdAt, archivedAt: null };
    workspace.issueLabels.insert({ ...always, name, color, description: null, teamId: team && teamId(team) });
  }
}

function addCycles({ workspace, now, teamId }: SeedContext, random: Random): void {
  for (let number = 1; number <= 4; number += 1) {
    const starts = now - 3 * day + (number - 3) * 2 * week;
    workspace.cycles.insert({
      id: random.uuid(),
      createdAt: isoOf(starts - 4 * week),
      updatedAt: isoOf(starts - 4 * week),
      archivedAt: null,
      teamId: teamId('ENG'),
      number,
      name: number === 3 ? 'Quarter close' : null,
      startsAt: isoOf(starts),
      endsAt: isoOf(starts + 2 * week),
    });
  }
}

function addToIssues({ workspace, now, teamId }: SeedContext, random: Random): void {
  const issues = workspace.issues.all();
  const cycles = workspace.cycles.all();
  const engineering = teamId('ENG');
  const busyIssue = issues.find(({ archivedAt }) => archivedAt === null);
  for (const [index, issue] of issues.entries()) {
    const own = workspace.issueLabels.all().filter((label) => label.teamId === null || label.teamId === issue.teamId);
    issue.labelIds = own.filter(() => random.chance(0.25)).map(({ id }) => id);
    issue.subscriberIds = subscribersOf(workspace, issue, issue === busyIssue);
    if (issue.parentId) issue.subIssueSortOrder = index;
    if (issue.teamId === engineering && now - Date.parse(issue.createdAt) < 6 * week && random.chance(0.5)) {
      Object.assign(issue, { cycleId: random.pick(cycles).id, addedToCycleAt: issue.createdAt });
    }
    if (random.chance(0.15)) attach(workspace, random, issue);
    const other = random.chance(0.1) ? random.pick(issues) : issue;
    if (other !== issue) relate(workspace, random, issue, other);
  }
  const [, source, slackIssue] = issues;
  const comment = source && workspace.comments.where('issueId', source.id)[0];
  if (slackIssue) {
    Object.assign(slackIssue, {
      sourceCommentId: (comment ?? workspace.comments.all()[0])?.id ?? null,
      integrationSourceType: 'slack',
    });
  }
  // More than a client is likely to request in one page of nested records.
  for (let count = 0; busyIssue && count < 60; count += 1) attach(workspace, random, busyIssue);
}

function subscribersOf({ users }: Workspace, { creatorId, assigneeId }: IssueRow, isBusy: boolean): string[] {
  if (isBusy) return users.all().map(({ id }) => id);
  return [...new Set([creatorId, assigneeId])].filter((id) => id !== null);
}

function attach({ attachments }: Workspace, random: Random, issue: IssueRow): void {
  const number = random.between(100, 2400);
  attachments.insert({
    id: random.uuid(),
    createdAt: issue.createdAt,
    updatedAt: issue.createdAt,
    archivedAt: null,
    issueId: issue.id,
    title: `Pull request ${number}`,
    subtitle: random.chance(0.5) ? 'Merged' : null,
    url: `https://code.fernhill.example/ledger/pull/${number}`,
    sourceType: 'github',
    creatorId: issue.creatorId,
  });
}

function relate({ issueRelations }: Workspace, random: Random, issue: IssueRow, other: IssueRow): void {
  const createdAt = issue.createdAt > other.createdAt ? issue.createdAt : other.createdAt;
  issueRelations.insert({
    id: random.uuid(),
    createdAt,
    updatedAt: createdAt,
    archivedAt: null,
    issueId: issue.id,
    relatedIssueId: other.id,
    type: random.pick(relationTypes),
  });
}

/** The apps team is a sub-team of Engineering and inherits its triage. */
function addToTeams({ workspace, teamId }: SeedContext): void {
  const [engineering, apps] = ['ENG', 'MOB'].map((key) => workspace.teams.get(teamId(key))!);
  if (!engineering || !apps) return;
  const state = (team: string, type: string) =>
    workspace.workflowStates.where('teamId', team).find((one) => one.type === type)!;
  apps.parentId = engineering.id;
  state(apps.id, 'triage').inheritedFromId = state(engineering.id, 'triage').id;
  Object.assign(engineering, { autoClosePeriod: 6, autoCloseStateId: state(engineering.id, 'canceled').id });
}
