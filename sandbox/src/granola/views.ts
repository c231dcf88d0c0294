import type { Grant } from './credentials.js';
import type { FolderRow, NoteRow, Workspace } from './rows.js';
import { summaryOf } from './seed/outcome.js';

const iso = (time: number) => new Date(time).toISOString();
const quarterHour = 900_000;

/** A note in lists. */
export function noteSummary({ id, meeting, owner, created, updated }: NoteRow) {
  return {
    id,
    object: 'note',
    title: meeting.title,
    owner: { name: owner.name, email: owner.email },
    created_at: iso(created),
    updated_at: iso(updated),
  };
}

/** A single note, without its transcript. */
export function noteDetails(note: NoteRow, workspace: Workspace, grant: Grant) {
  const { text, markdown } = summaryOf(note);
  const privateNotes = grant.person === note.owner.key ? note.privateNotes : null;
  const { space, folders } = workspace;
  const noteFolders = folders.filter((folder) => note.meeting.folders.includes(folder.name));
  return {
    ...noteSummary(note),
    web_url: `https://notes.granola.ai/d/${note.webId}`,
    calendar_event: calendarEventOf(note),
    attendees: attendeesOf(note),
    folder_membership: noteFolders.map((folder) => folderView(folder, workspace)),
    space_membership: note.meeting.isPrivate ? [] : [{ id: space.id, object: 'space', name: space.name }],
    summary_text: text,
    summary_markdown: note.hasMarkdown ? markdown : null,
    private_notes_text: privateNotes?.replaceAll(/^- /gm, '') ?? null,
    private_notes_markdown: privateNotes,
    transcript: null,
  };
}

/** A folder in a list or note. */
export function folderView({ id, name, parentId }: FolderRow, { space }: Workspace) {
  return { id, object: 'folder', name, parent_folder_id: parentId, space_id: space.id };
}

function calendarEventOf({ meeting, created, ended, calendarEventId, organiserForm, owner }: NoteRow) {
  if (meeting.isAdHoc) return null;
  const begin = Math.floor(created / quarterHour) * quarterHour;
  const end = Math.max(begin + 2 * quarterHour, Math.round(ended / quarterHour) * quarterHour);
  const organiser = { string: owner.email, object: { name: owner.name, email: owner.email }, null: null };
  return {
    event_title: meeting.title,
    invitees: meeting.participants.map(({ email }) => ({ email })),
    organiser: organiser[organiserForm],
    calendar_event_id: calendarEventId,
    scheduled_start_time: iso(begin),
    scheduled_end_time: iso(end),
  };
}

function attendeesOf({ meeting }: NoteRow) {
  if (meeting.isAdHoc && meeting.title === null) return [];
  // A guest's name is only known if the guest has shared it.
  return meeting.participants.map(({ key, name, email }, index) => ({
    name: key === null && index % 2 === 1 ? null : name,
    email,
  }));
}
