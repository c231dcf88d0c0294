import type { Story } from '../stories.js';

/** Somebody at the company who has an account at Gong. */
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

/** A workspace: calls, trackers and folders belong to one. */
export interface WorkspaceRow {
  id: string;
  name: string;
  description?: string;
}

/** Somebody in a call. */
export interface PartyRow {
  id: string;
  /** The account at Gong, where there is one. */
  userId: string | null;
  name: string | null;
  email: string | null;
  title: string | null;
  phone: string | null;
  /** Null for whoever was there and did not speak. */
  speakerId: string | null;
  affiliation: 'Internal' | 'External' | 'Unknown';
  methods: readonly ('Invitee' | 'Attendee')[];
}

/** What a call was about. */
export interface Occasion {
  title: string | null;
  customer: string | null;
  project: string | null;
  /** Key of the team whose parts of the product come up. */
  team: string;
  /** Keys of the company's people, the host first. */
  colleagues: readonly string[];
  kind: 'meeting' | 'phone' | 'internal' | 'upload';
  purpose: string | null;
  story?: Story;
}

/** What a call was recorded as. */
export interface Recording {
  hasAudio: boolean;
  hasVideo: boolean;
  /** Bits of sound a second. */
  bitrate: 8_000 | 64_000;
}

/** A stored call. What was said is told from `seed` whenever it is asked for. */
export interface CallRow {
  id: string;
  workspaceId: string;
  occasion: Occasion;
  hostId: string;
  scheduled: number;
  started: number;
  /** Digits of the second's fraction that Gong shows of `started`. */
  digits: 0 | 3 | 6;
  /** Seconds. */
  duration: number;
  /** From when on it is in lists, and from when on its analysis is. */
  ready: number;
  analysed: number;
  isPrivate: boolean;
  /** Only those calls count in the interaction statistics. */
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

/** A question of a scorecard. */
export interface QuestionRow {
  id: string;
  revisionId: string;
  text: string;
  isOverall: boolean;
  type: 'RANGE' | 'BOOLEAN' | 'OPEN' | 'SINGLE_SELECT';
  guide: string | null;
  options: readonly string[];
}

/** A scorecard that calls are reviewed with. */
export interface ScorecardRow {
  id: string;
  name: string;
  workspaceId: string;
  enabled: boolean;
  /** Null for those that come with Gong. */
  updaterId: string | null;
  created: number;
  updated: number;
  reviewMethod: 'MANUAL' | 'AUTOMATIC';
  questions: readonly QuestionRow[];
}

/** Words that Gong listens for. */
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

/** A call, or a part of one, that somebody put into a folder. */
export interface FolderCallRow {
  callId: string;
  note: string;
  addedBy: string;
  added: number;
  from: number;
  to: number;
}

/** A folder of the library. */
export interface FolderRow {
  id: string;
  name: string;
  parentId: string | null;
  workspaceId: string;
  createdBy: string | null;
  updated: number;
  calls: readonly FolderCallRow[];
}

/** Everything that the company's Gong holds. */
export interface GongWorld {
  users: readonly UserRow[];
  workspaces: readonly WorkspaceRow[];
  /** The oldest first. */
  calls: readonly CallRow[];
  scorecards: readonly ScorecardRow[];
  trackers: readonly TrackerRow[];
  folders: readonly FolderRow[];
}
