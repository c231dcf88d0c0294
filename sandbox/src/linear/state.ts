import { Random } from '../random.js';
import type {
  AttachmentRow,
  CommentRow,
  CycleRow,
  IssueLabelRow,
  IssueRelationRow,
  IssueRow,
  ProjectMilestoneRow,
  ProjectRow,
  ProjectStatusRow,
  Row,
  TeamRow,
  UserRow,
  WorkflowStateRow,
} from './rows.js';
import { Table } from './table.js';

/** All data of an emulated workspace. */
export class Workspace {
  organizationId = '';
  createdAt = '';
  lastSyncId = 0;
  random = new Random(0);
  readonly users = new Table<UserRow>();
  readonly teams = new Table<TeamRow>();
  readonly workflowStates = new Table<WorkflowStateRow>();
  readonly projectStatuses = new Table<ProjectStatusRow>();
  readonly projects = new Table<ProjectRow>();
  readonly projectMilestones = new Table<ProjectMilestoneRow>();
  readonly issues = new Table<IssueRow>();
  readonly comments = new Table<CommentRow>();
  readonly cycles = new Table<CycleRow>();
  readonly issueLabels = new Table<IssueLabelRow>();
  readonly attachments = new Table<AttachmentRow>();
  readonly issueRelations = new Table<IssueRelationRow>();

  /** Increases with every change. */
  get version(): number {
    return tableNames.reduce((sum, name) => sum + this[name].version, 0);
  }

  /** A copy with its own tables; rows are replaced on change, never mutated. */
  copy(): Workspace {
    const copy = new Workspace();
    const { organizationId, createdAt, lastSyncId, random } = this;
    Object.assign(copy, { organizationId, createdAt, lastSyncId, random: new Random(random.state) });
    for (const name of tableNames) for (const row of this[name].all()) copy[name].insert({ ...row } as never);
    return copy;
  }

  dump(): WorkspaceDump {
    const { organizationId, createdAt, lastSyncId, random } = this;
    const tables = Object.fromEntries(tableNames.map((name) => [name, this[name].all()]));
    return { organizationId, createdAt, lastSyncId, random: random.state, tables };
  }

  static load(dump: WorkspaceDump): Workspace {
    const workspace = new Workspace();
    workspace.organizationId = dump.organizationId;
    workspace.createdAt = dump.createdAt;
    workspace.lastSyncId = dump.lastSyncId;
    workspace.random = new Random(dump.random);
    for (const name of tableNames) {
      for (const row of dump.tables[name] ?? []) workspace[name].insert(structuredClone(row) as never);
    }
    return workspace;
  }
}

/** A workspace as plain JSON; shares its rows with the workspace. */
export interface WorkspaceDump {
  organizationId: string;
  createdAt: string;
  lastSyncId: number;
  random: number;
  tables: Record<string, readonly Row[]>;
}

const tableNames = [
  'users',
  'teams',
  'workflowStates',
  'projectStatuses',
  'projects',
  'projectMilestones',
  'issues',
  'comments',
  'cycles',
  'issueLabels',
  'attachments',
  'issueRelations',
] as const;
