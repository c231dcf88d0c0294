/** Somebody in a meeting: of the company, or a guest. */
export interface Participant {
  /** The person's key in the company, null for a guest. */
  key: string | null;
  name: string;
  email: string;
}

/** What a meeting was about. */
export interface Meeting {
  title: string | null;
  /** Who spoke, the note's owner first. */
  participants: readonly Participant[];
  /** The names of what it was about. */
  project: string | null;
  customer: string | null;
  /** Key of the team whose parts of the product come up. */
  team: string;
  /** Only those who took part see the note. */
  isPrivate: boolean;
  /** The names of the folders that hold the note. */
  folders: readonly string[];
  /** Nobody had put it into a calendar. */
  isAdHoc: boolean;
  /** What it was about beyond that, where other vendors know of the same meeting. */
  subject?: { name: string; points: readonly string[] };
}

/** How much is known of who speaks, which depends on the device and on the time of the recording. */
export type Attribution = 'named' | 'attributed' | 'bare' | 'ios';

/** A stored note. What was said is told from `seed` whenever it is asked for. */
export interface NoteRow {
  id: string;
  /** The id in the web address, which is another one. */
  webId: string;
  meeting: Meeting;
  owner: { key: string; name: string | null; email: string };
  created: number;
  ended: number;
  updated: number;
  /** From when on there is a summary, and with it a note. */
  ready: number;
  isDeleted: boolean;
  calendarEventId: string;
  organiserForm: 'string' | 'object' | 'null';
  attribution: Attribution;
  turns: number;
  hasMarkdown: boolean;
  privateNotes: string | null;
  seed: number;
}

/** A stored folder. */
export interface FolderRow {
  id: string;
  name: string;
  parentId: string | null;
}

/** Everything that the workspace holds. */
export interface Workspace {
  space: { id: string; name: string };
  folders: readonly FolderRow[];
  /** The newest first. */
  notes: readonly NoteRow[];
}
