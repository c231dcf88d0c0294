import { people } from '../../company.js';
import { projects } from '../../projects.js';
import { Random } from '../../random.js';
import type { VendorContext } from '../../vendor.js';
import { isoOf } from '../mutate.js';
import { Workspace } from '../state.js';
import { seedComments } from './comments.js';
import { seedIssues } from './issues.js';
import { seedLinks } from './links.js';
import type { SeedContext } from './seed.js';
import { seedProjectStatuses, seedStates, seedTeams } from './teams.js';

const day = 86_400_000;
const age = 540 * day;

/** Fills a workspace with the company's data, deterministic for a given seed, scale and time. */
export function seedWorkspace({ seed: number, scale, start }: VendorContext): Workspace {
  const workspace = new Workspace();
  const random = new Random(number * 7919 + 17);
  workspace.random = random;
  workspace.organizationId = random.uuid();
  workspace.createdAt = isoOf(start - age);
  const ids = new Map<string, string>();
  const seed: SeedContext = {
    workspace,
    random,
    scale,
    now: start,
    startedAt: start - age,
    userId: (key) => (key === null ? null : ids.get(key)!),
    teamId: (key) => ids.get(key)!,
  };
  addTeams(seed, ids);
  addPeople(seed, ids);
  addProjectStatuses(seed);
  addProjects(seed);
  seedIssues(seed);
  seedComments(seed);
  seedLinks(seed, new Random(number * 104_729 + 5));
  workspace.lastSyncId = workspace.issues.size + workspace.comments.size + 1000;
  return workspace;
}

function addTeams({ workspace, random, startedAt }: SeedContext, ids: Map<string, string>): void {
  for (const [index, { key, name, description, timezone, color, icon }] of seedTeams.entries()) {
    const id = random.uuid();
    ids.set(key, id);
    const createdAt = isoOf(startedAt + index * 3_600_000);
    const always = { createdAt, updatedAt: createdAt, archivedAt: null };
    const unset = { parentId: null, autoClosePeriod: null, autoCloseStateId: null };
    workspace.teams.insert({ id, ...always, key, name, description, timezone, color, icon, ...unset, lastNumber: 0 });
    for (const [position, state] of seedStates.entries()) {
      const description = state.type === 'triage' ? 'Nobody has looked at it yet' : null;
      workspace.workflowStates.insert({
        id: random.uuid(),
        ...always,
        teamId: id,
        inheritedFromId: null,
        position,
        description,
        ...state,
      });
    }
  }
}

function addPeople({ workspace, random, startedAt, now }: SeedContext, ids: Map<string, string>): void {
  for (const [index, person] of people.entries()) {
    const id = random.uuid();
    ids.set(person.key, id);
    const teams = seedTeams.filter((team) => team.members.includes(person.key));
    workspace.users.insert({
      id,
      createdAt: isoOf(startedAt + index * 9 * 3_600_000),
      updatedAt: isoOf(now - random.between(1, 90) * day),
      archivedAt: null,
      name: person.name,
      displayName: person.key.split('.')[0]!,
      email: person.email,
      title: person.title,
      timezone: person.timezone,
      active: !person.left,
      admin: person.admin ?? false,
      owner: person.key === 'maren.holt',
      lastSeen: isoOf(now - random.between(1, person.left ? 200 * 24 : 48) * 3_600_000),
      avatarUrl: null,
      disableReason: person.left ? 'Left the company' : null,
      teamIds: teams.map((team) => ids.get(team.key)!),
    });
  }
}

function addProjectStatuses({ workspace, random, startedAt, now }: SeedContext): void {
  for (const { archived, ...status } of seedProjectStatuses) {
    workspace.projectStatuses.insert({
      id: random.uuid(),
      createdAt: isoOf(startedAt),
      updatedAt: isoOf(startedAt),
      archivedAt: archived ? isoOf(now - 100 * day) : null,
      description: null,
      indefinite: status.type === 'paused',
      ...status,
    });
  }
}

function addProjects(seed: SeedContext): void {
  const { workspace, random, now, scale } = seed;
  const rounds = Math.max(1, Math.ceil(scale / 4));
  const total = rounds * projects.length;
  for (let index = 0; index < total; index += 1) {
    const plan = projects[index % projects.length]!;
    const phase = Math.floor(index / projects.length) + 1;
    const status = workspace.projectStatuses.where('name', plan.status)[0]!;
    const created = seed.startedAt + ((now - seed.startedAt) * (index + 1)) / (total + 2);
    const hasStarted = !['backlog', 'planned'].includes(status.type);
    const startedAt = hasStarted ? isoOf(created + 12 * day) : null;
    const ended = isoOf(Math.min(created + 90 * day, now - day));
    const teamIds = plan.teams.map(seed.teamId);
    const id = random.uuid();
    workspace.projects.insert({
      id,
      createdAt: isoOf(created),
      updatedAt: isoOf(now - random.between(1, 240) * 3_600_000),
      archivedAt: status.type === 'canceled' ? ended : null,
      name: phase === 1 ? plan.name : `${plan.name}, phase ${phase}`,
      slugId: random.uuid().replaceAll('-', '').slice(0, 12),
      description: plan.description,
      content: plan.content ?? null,
      icon: null,
      color: status.color,
      statusId: status.id,
      leadId: seed.userId(plan.lead),
      creatorId: seed.userId(plan.lead ?? 'maren.holt'),
      teamIds,
      memberIds: workspace.users
        .all()
        .filter((user) => user.active && user.teamIds.some((team) => teamIds.includes(team)))
        .map((user) => user.id)
        .slice(0, 5),
      priority: random.between(0, 4),
      sortOrder: index * 100,
      startDate: hasStarted ? isoOf(created + 12 * day).slice(0, 10) : null,
      startDateResolution: null,
      targetDate: status.type === 'backlog' ? null : isoOf(created + random.between(60, 300) * day).slice(0, 10),
      targetDateResolution: index % 5 === 0 ? 'quarter' : null,
      startedAt,
      completedAt: status.type === 'completed' ? ended : null,
      canceledAt: status.type === 'canceled' ? ended : null,
      health: status.type === 'started' ? random.pick(['onTrack', 'onTrack', 'atRisk', 'offTrack']) : null,
      healthUpdatedAt: status.type === 'started' ? isoOf(now - 5 * day) : null,
      convertedFromIssueId: null,
      updateRemindersDay: status.type === 'started' ? 'Friday' : null,
      updateRemindersHour: status.type === 'started' ? 14 : null,
      trashed: null,
    });
    for (const [order, name] of plan.milestones.entries()) {
      const createdAt = isoOf(created + order * 60_000);
      workspace.projectMilestones.insert({
        id: random.uuid(),
        createdAt,
        updatedAt: createdAt,
        archivedAt: null,
        projectId: id,
        name,
        description: null,
        targetDate: isoOf(created + (order + 1) * 45 * day).slice(0, 10),
        sortOrder: order,
      });
    }
  }
}
