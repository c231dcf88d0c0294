import { isoOf } from '../mutate.js';
import type { CommentRow } from '../rows.js';
import type { SeedContext } from './seed.js';
import { remarkFor, robotRemarkFor } from './texts.js';

const day = 86_400_000;
const threadLength = 120;

interface Draft {
  at: number;
  comment: Omit<CommentRow, 'createdAt' | 'updatedAt'>;
}

const robot = {
  id: '5f0c27f1-9d8e-4f53-8a3e-2f1f6c0b7d10',
  type: 'github',
  subType: null,
  name: 'GitHub',
  userDisplayName: null,
  avatarUrl: null,
};

/** Adds comments, oldest first: about two and a half per issue, and one long thread. */
export function seedComments(seed: SeedContext): void {
  const { workspace, random, now } = seed;
  const issues = workspace.issues.all();
  const users = workspace.users.all();
  const long = issues[Math.floor(issues.length / 3)];
  const drafts: Draft[] = [];
  for (const issue of issues) {
    const count = issue === long ? threadLength : countFor(random.next());
    const created = Date.parse(issue.createdAt);
    let first: string | null = null;
    for (let index = 0; index < count; index += 1) {
      const at = created + ((index + random.next()) / count) * Math.min(now - 60_000 - created, 40 * day);
      const comment = commentOf(seed, random.pick(users).id, issue.id, null);
      if (first !== null && random.chance(0.3)) comment.parentId = first;
      else first = comment.id;
      if (index === 0 && random.chance(0.05)) {
        comment.resolvedAt = isoOf(at + 3_600_000);
        comment.resolvingUserId = issue.creatorId;
      }
      drafts.push({ at, comment });
    }
  }
  for (const project of workspace.projects.all()) {
    const at = Date.parse(project.createdAt) + day;
    drafts.push({ at, comment: commentOf(seed, random.pick(users).id, null, project.id) });
  }
  for (const { at, comment } of drafts.sort((a, b) => a.at - b.at)) {
    const createdAt = isoOf(at);
    const editedAt = random.chance(0.08) ? isoOf(Math.min(now, at + 300_000)) : null;
    workspace.comments.insert({ ...comment, createdAt, updatedAt: editedAt ?? createdAt, editedAt });
  }
}

function commentOf({ random }: SeedContext, author: string, issueId: string | null, projectId: string | null) {
  const isRobot = issueId !== null && random.chance(0.09);
  return {
    id: random.uuid(),
    archivedAt: null,
    body: isRobot ? robotRemarkFor(random) : remarkFor(random),
    issueId,
    projectId,
    parentId: null as string | null,
    userId: isRobot ? null : author,
    botActor: isRobot ? robot : null,
    editedAt: null,
    resolvedAt: null as string | null,
    resolvingUserId: null as string | null,
    resolvingCommentId: null,
    quotedText: random.chance(0.03) ? 'Only accounts created before 2024' : null,
  };
}

function countFor(draw: number): number {
  if (draw < 0.25) return 0;
  if (draw < 0.5) return 1;
  if (draw < 0.7) return 3;
  return draw < 0.9 ? 4 : 8;
}
