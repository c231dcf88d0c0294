import type { Story } from '../stories.js';

/** An employee with a Gong account. */
export interface UserRow {
  id: string;
  /** The person's key in the company. */
  key: string;
  name: string;
  email: string;
  title: string;
  managerKey: string | null;
  active: boolean;
  created: number;
  phone: string | null;
  language: string;
}

/** A workspace, which contains calls, trackers and folders. */
export interface WorkspaceRow {
  id: string;
  name: string;
  description?: string;
}

/** A participant in a call. */
export interface PartyRow {
  id: string;
  /** The Gong account, if there is one. */
  userId: string | null;
  name: string | null;
  email: string | null;
  title: string | null;
  phone: string | null;
  /** Null for participants who did not speak. */
  speakerId: string | null;
  affiliation: 'Internal' | 'External' | 'Unknown';
  methods: readonly ('Invitee' | 'Attendee')[];
}

/** The subject of a call. */
export interface Occasion {
  title: string | null;
  customer: string | null;
  project: string | null;
  /** Key of the team whose product areas are mentioned. */
  team: string;
  /** Keys of the participating employees, the host first. */
  colleagues: readonly string[];
  kind: 'meeting' | 'phone' | 'internal' | 'upload';
  purpose: string | null;
  story?: Story;
}

/** Properties of a recording. */
export interface Recording {
  hasAudio: boolean;
  hasVideo: boolean;
  /** Audio bit rate. */
  bitrate: 8_000 | 64_000;
}

/** A stored call. Its conversation is generated from `seed` on demand. */
export interface CallRow {
  id: string;
  workspaceId: string;
  occasion: Occasion;
  hostId: string;
  scheduled: number;
  started: number;
  /** Number of fractional digits in `started`. */
  digits: 0 | 3 | 6;
  /** Seconds. */
  duration: number;
  /** When the call appears in lists, and when its analysis becomes available. */
  ready: number;
  analysed: number;
  isPrivate: boolean;
  /** Only calls with Whisper count toward interaction statistics. */
  isWhisperEnabled: boolean;
  recording: Recording;
  system: string;
  direction: 'Inbound' | 'Outbound' | 'Conference' | 'Unknown';
  scope: 'Internal' | 'External' | 'Unknown';
  language: string;
  meetingUrl: string | null;
  calendarEventId: string | null;
  parties: readonly PartyRow[];
  seed: number;
}

/** A scorecard question. */
export interface QuestionRow {
  id: string;
  revisionId: string;
  text: string;
  isOverall: boolean;
  type: 'RANGE' | 'BOOLEAN' | 'OPEN' | 'SINGLE_SELECT';
  guide: string | null;
  options: readonly string[];
}

/** A scorecard for reviewing calls. */
export interface ScorecardRow {
  id: string;
  name: string;
  workspaceId: string;
  enabled: boolean;
  /** Null for Gong's built-in scorecards. */
  updaterId: string | null;
  created: number;
  updated: number;
  reviewMethod: 'MANUAL' | 'AUTOMATIC';
  questions: readonly QuestionRow[];
}

/** Keywords that Gong tracks. */
export interface TrackerRow {
  id: string;
  name: string;
  workspaceId: string | null;
  keywords: readonly string[];
  affiliation: 'Anyone' | 'Company' | 'NonCompany';
  saidAt: 'Anytime' | 'First' | 'Last';
  saidAtInterval: number | null;
  saidInTopics: readonly string[];
  creatorId: string | null;
  created: number;
  updated: number;
}

/** A call, or a part of one, in a folder. */
export interface FolderCallRow {
  callId: string;
  note: string;
  addedBy: string;
  added: number;
  from: number;
  to: number;
}

/** A library folder. */
export interface FolderRow {
  id: string;
  name: string;
  parentId: string | null;
  workspaceId: string;
  createdBy: string | null;
  updated: number;
  calls: readonly FolderCallRow[];
}

/** The company's data in Gong. */
export interface GongWorld {
  users: readonly UserRow[];
  workspaces: readonly WorkspaceRow[];
  /** Oldest first. */
  calls: readonly CallRow[];
  scorecards: readonly ScorecardRow[];
  trackers: readonly TrackerRow[];
  folders: readonly FolderRow[];
}
