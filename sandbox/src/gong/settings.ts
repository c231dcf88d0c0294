import { momentText } from './moments.js';
import type { Reading } from './reading.js';
import { refusals } from './refusals.js';
import type { FolderRow, QuestionRow, ScorecardRow, TrackerRow } from './rows.js';

/** GET /v2/workspaces */
export function listWorkspaces({ world }: Reading): object {
  return { workspaces: world.workspaces };
}

/** GET /v2/settings/scorecards, which takes no parameters. */
export function listScorecards({ world }: Reading): object {
  return { scorecards: world.scorecards.map(scorecardView) };
}

/** GET /v2/settings/trackers */
export function listTrackers(reading: Reading): object {
  const wanted = workspaceIn(reading);
  const rows = reading.world.trackers.filter(({ workspaceId }) => wanted === null || workspaceId === wanted);
  return { keywordTrackers: rows.map(trackerView) };
}

/** GET /v2/library/folders */
export function listFolders(reading: Reading): object {
  const wanted = workspaceIn(reading);
  const rows = reading.world.folders.filter(({ workspaceId }) => wanted === null || workspaceId === wanted);
  return { folders: rows.map(folderView) };
}

/** GET /v2/library/folder-content: the folder with all its calls, private ones among them. */
export function getFolderContent({ world, search, now, grant }: Reading): object {
  const id = search.get('folderId');
  if (id === null) throw refusals.malformed('folderId: must not be null');
  const folder = world.folders.find((row) => row.id === id);
  if (!folder) throw refusals.notFound('Folder', id);
  const calls = folder.calls.filter(({ added }) => added <= now && grant.seesCalls);
  const { name, createdBy, updated } = folderView(folder);
  return {
    ...{ id, name, createdBy, updated },
    calls: calls.map(({ callId, note, addedBy, added, from, to }) => ({
      id: callId,
      title: world.calls.find((call) => call.id === callId)?.occasion.title ?? null,
      note,
      addedBy,
      created: momentText(added),
      url: `https://us-55616.app.gong.io/call?id=${callId}`,
      snippet: { fromSec: from, toSec: to },
    })),
  };
}

function workspaceIn({ search, world }: Reading): string | null {
  const id = search.get('workspaceId');
  if (id !== null && !world.workspaces.some((workspace) => workspace.id === id)) {
    throw refusals.notFound('Workspace', id);
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
    created: momentText(row.created, 3),
    updated: momentText(row.updated, 6),
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
    created: momentText(row.created, 3),
    updated: momentText(row.updated, 6),
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
    created: momentText(row.created, 6),
    creatorUserId: row.creatorId,
    updated: momentText(row.updated, 6),
    updaterUserId: row.creatorId,
  };
}

function folderView({ id, name, parentId, createdBy, updated }: FolderRow) {
  return { id, name, parentFolderId: parentId, createdBy, updated: momentText(updated, 6) };
}
