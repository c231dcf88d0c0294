import type { GongContext } from './context.js';
import { apiErrors } from './errors.js';
import type { FolderRow, QuestionRow, ScorecardRow, TrackerRow } from './rows.js';
import { formatTimestamp } from './timestamps.js';

/** GET /v2/workspaces */
export function listWorkspaces({ world }: GongContext): object {
  return { workspaces: world.workspaces };
}

/** GET /v2/settings/scorecards, which has no parameters. */
export function listScorecards({ world }: GongContext): object {
  return { scorecards: world.scorecards.map(scorecardView) };
}

/** GET /v2/settings/trackers */
export function listTrackers(context: GongContext): object {
  const wanted = workspaceFilterOf(context);
  const rows = context.world.trackers.filter(({ workspaceId }) => wanted === null || workspaceId === wanted);
  return { keywordTrackers: rows.map(trackerView) };
}

/** GET /v2/library/folders */
export function listFolders(context: GongContext): object {
  const wanted = workspaceFilterOf(context);
  const rows = context.world.folders.filter(({ workspaceId }) => wanted === null || workspaceId === wanted);
  if (rows.length === 0) throw apiErrors.noFolders();
  return { folders: rows.map(folderView) };
}

/** GET /v2/library/folder-content: the folder with all its calls, including private ones. */
export function getFolderContent({ world, search, now, grant }: GongContext): object {
  const id = search.get('folderId');
  if (id === null) throw apiErrors.malformed('folderId: must not be null');
  const folder = world.folders.find((row) => row.id === id);
  if (!folder) throw apiErrors.notFound('Folder', id);
  const calls = folder.calls.filter(({ added }) => added <= now && grant.seesCalls);
  if (calls.length === 0) throw apiErrors.noFolders();
  const { name, createdBy, updated } = folderView(folder);
  return {
    id,
    name,
    createdBy,
    updated,
    calls: calls.map(({ callId, note, addedBy, added, from, to }) => ({
      id: callId,
      title: world.calls.find((call) => call.id === callId)?.occasion.title ?? null,
      note,
      addedBy,
      created: formatTimestamp(added),
      url: `https://us-55616.app.gong.io/call?id=${callId}`,
      snippet: { fromSec: from, toSec: to },
    })),
  };
}

function workspaceFilterOf({ search, world }: GongContext): string | null {
  const id = search.get('workspaceId');
  if (id !== null && !world.workspaces.some((workspace) => workspace.id === id)) {
    throw apiErrors.notFound('Workspace', id);
  }
  return id;
}

function scorecardView(row: ScorecardRow) {
  return {
    scorecardId: row.id,
    scorecardName: row.name,
    workspaceId: row.workspaceId,
    enabled: row.enabled,
    updaterUserId: row.updaterId ?? '-1',
    created: formatTimestamp(row.created, 3),
    updated: formatTimestamp(row.updated, 6),
    reviewMethod: row.reviewMethod,
    questions: row.questions.map((question) => questionView(question, row)),
  };
}

function questionView({ id, revisionId, text, isOverall, type, guide, options }: QuestionRow, row: ScorecardRow) {
  const isRange = type === 'RANGE';
  return {
    questionId: id,
    questionRevisionId: revisionId,
    questionText: text,
    isOverall,
    updaterUserId: row.updaterId ?? '-1',
    questionType: type,
    answerGuide: guide,
    minRange: isRange ? '1' : null,
    maxRange: isRange ? '5' : null,
    answerOptions: options.map((option, place) => ({ id: place + 1, text: option })),
    created: formatTimestamp(row.created, 3),
    updated: formatTimestamp(row.updated, 6),
  };
}

function trackerView(row: TrackerRow) {
  return {
    trackerId: row.id,
    trackerName: row.name,
    workspaceId: row.workspaceId,
    languageKeywords:
      row.keywords.length === 0 ? [] : [{ language: 'eng', keywords: row.keywords, includeRelatedForms: true }],
    affiliation: row.affiliation,
    partOfQuestion: false,
    saidAt: row.saidAt,
    saidAtInterval: row.saidAtInterval,
    saidAtUnit: row.saidAtInterval === null ? null : 'Minutes',
    saidInTopics: row.saidInTopics,
    filterQuery: '{}',
    created: formatTimestamp(row.created, 6),
    creatorUserId: row.creatorId,
    updated: formatTimestamp(row.updated, 6),
    updaterUserId: row.creatorId,
  };
}

function folderView({ id, name, parentId, createdBy, updated }: FolderRow) {
  return { id, name, parentFolderId: parentId, createdBy, updated: formatTimestamp(updated, 6) };
}
