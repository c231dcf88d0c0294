/** A participant: an employee or a guest. */
export interface Participant {
  /** The person's key in the company; null for a guest. */
  key: string | null;
  name: string;
  email: string;
}

/** What a meeting was about. */
export interface Meeting {
  title: string | null;
  /** Speakers, starting with the note's owner. */
  participants: readonly Participant[];
  /** Names of its subjects. */
  project: string | null;
  customer: string | null;
  /** Key of the team whose product areas are mentioned. */
  team: string;
  /** Only participants can see the note. */
  isPrivate: boolean;
  /** Names of the folders that contain the note. */
  folders: readonly string[];
  /** Not in any calendar. */
  isAdHoc: boolean;
  /** An additional subject, if other vendors have data about the same meeting. */
  subject?: { name: string; points: readonly string[] };
}

/** How precisely speakers are identified, which depends on device and recording time. */
export type Attribution = 'named' | 'attributed' | 'bare' | 'ios';

/** A stored note. Its transcript is generated from `seed` on demand. */
export interface NoteRow {
  id: string;
  /** Id in the web URL, which differs from the API id. */
  webId: string;
  meeting: Meeting;
  owner: { key: string; name: string | null; email: string };
  created: number;
  ended: number;
  updated: number;
  /** When the summary, and thus the note, becomes available. */
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

/** The workspace's data. */
export interface Workspace {
  space: { id: string; name: string };
  folders: readonly FolderRow[];
  /** Newest first. */
  notes: readonly NoteRow[];
}
