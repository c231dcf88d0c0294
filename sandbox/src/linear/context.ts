import type { FaultKind } from '../faults.js';
import type { LinearLimits } from './buckets.js';
import { notFound } from './errors.js';
import type {
  AttachmentRow,
  CommentRow,
  CycleRow,
  IssueRow,
  ProjectRow,
  Row,
  TeamRow,
  UserRow,
  WorkflowStateRow,
} from './rows.js';
import type { Workspace } from './state.js';
import type { Views } from './views.js';

/** Context of one request. */
export interface LinearContext {
  workspace: Workspace;
  views: Views;
  viewer: UserRow;
  mayWrite: boolean;
  /** Teams visible to the credential; all if undefined. */
  teamIds: ReadonlySet<string> | undefined;
  now: number;
  limits: LinearLimits;
  fault: FaultKind | undefined;
}

/** Whether the credential can see a row. */
export function isVisible(context: LinearContext, type: string, row: Row): boolean {
  const { teamIds, workspace } = context;
  if (!teamIds) return true;
  switch (type) {
    case 'Team':
      return teamIds.has(row.id);
    case 'Issue':
      return teamIds.has((row as IssueRow).teamId);
    case 'WorkflowState':
      return teamIds.has((row as WorkflowStateRow).teamId);
    case 'Attachment': {
      const issue = workspace.issues.get((row as AttachmentRow).issueId);
      return !!issue && isVisible(context, 'Issue', issue);
    }
    case 'Cycle':
      return teamIds.has((row as CycleRow).teamId);
    case 'Project':
      return (row as ProjectRow).teamIds.some((id) => teamIds.has(id));
    case 'Comment': {
      const { issueId, projectId } = row as CommentRow;
      const issue = workspace.issues.get(issueId);
      const project = workspace.projects.get(projectId);
      return issue ? teamIds.has(issue.teamId) : !!project && isVisible(context, 'Project', project);
    }
    default:
      return true;
  }
}

/** The row, or Linear's error if it is missing or invisible. */
export function requireVisible<Stored extends Row>(
  context: LinearContext,
  type: string,
  row: Stored | undefined,
): Stored {
  if (!row || !isVisible(context, type, row)) throw notFound(type);
  return row;
}

const identifier = /^([A-Za-z0-9]+)-(\d+)$/;

/** Finds an issue by UUID or by a current or former identifier such as `ENG-123`. */
export function requireIssue(context: LinearContext, reference: string): IssueRow {
  const { issues, teams } = context.workspace;
  const match = identifier.exec(reference);
  const parsed = match && { key: match[1]!.toUpperCase(), number: Number(match[2]) };
  const team = parsed && teams.where('key', parsed.key)[0];
  const row =
    issues.get(reference) ??
    (team && issues.where('teamId', team.id).find((issue) => issue.number === parsed.number)) ??
    (parsed && issues.all().find((issue) => issue.previousIdentifiers.includes(`${parsed.key}-${parsed.number}`)));
  return requireVisible(context, 'Issue', row || undefined);
}

/** Finds a project by UUID, slug id, or the last part of its URL. */
export function requireProject(context: LinearContext, reference: string): ProjectRow {
  const { projects } = context.workspace;
  const slug = reference.slice(reference.lastIndexOf('-') + 1);
  return requireVisible(context, 'Project', projects.get(reference) ?? projects.where('slugId', slug)[0]);
}

/** Finds a team by UUID or key. */
export function requireTeam(context: LinearContext, reference: string): TeamRow {
  const { teams } = context.workspace;
  return requireVisible(context, 'Team', teams.get(reference) ?? teams.where('key', reference.toUpperCase())[0]);
}
