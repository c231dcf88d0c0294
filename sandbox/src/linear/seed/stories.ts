import { stories } from '../../company-stories.js';
import { identifierOf } from '../../stories.js';
import { isoOf } from '../mutate.js';
import type { IssueRow } from '../rows.js';
import type { SeedContext } from './seed.js';

const hour = 3_600_000;
const storiesByIssue = new Map(stories.map(({ issue, project }) => [identifierOf(issue), { issue, project }]));

/** Applies a story to the issue with the story's team and number, if there is one. */
export function applyStory(seed: SeedContext, teamKey: string, row: IssueRow): IssueRow {
  const found = storiesByIssue.get(`${teamKey}-${row.number}`);
  if (!found) return row;
  const { issue, project } = found;
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
