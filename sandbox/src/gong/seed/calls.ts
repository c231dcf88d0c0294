import { stories } from '../../company-stories.js';
import type { Random } from '../../random.js';
import { startTimeOf } from '../../stories.js';
import type { CallRow, Occasion, Recording, UserRow, WorkspaceRow } from '../rows.js';
import { formatTimestamp } from '../timestamps.js';
import { idFrom, randomFor } from './ids.js';
import { occasionAt, occasionOf } from './occasions.js';
import { partiesOf } from './parties.js';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const age = 180 * day;
const callsAtScaleOne = 150;

/** Inputs for generating calls. */
export interface CallSeed {
  seed: number;
  start: number;
  scale: number;
  users: readonly UserRow[];
  workspaces: readonly WorkspaceRow[];
}

/** The company's calls, oldest first. */
export function seedCalls(options: CallSeed): CallRow[] {
  const total = Math.round(callsAtScaleOne * options.scale);
  const seededStories = total > stories.length ? stories : [];
  const calls: CallRow[] = seededStories.map((story, index) => {
    const random = randomFor(options.seed, 'story', index);
    const row = callOf(options, random, occasionOf(story), startTimeOf(story, options.start), story.minutes * 60);
    return { ...row, digits: 0, started: row.scheduled };
  });
  for (let index = 0; index < total - seededStories.length; index += 1) calls.push(callAt(options, index, total));
  return calls.sort((one, other) => one.started - other.started);
}

function callAt(options: CallSeed, index: number, total: number): CallRow {
  const { seed, start } = options;
  const random = randomFor(seed, 'call', index);
  // The exponent makes calls more frequent toward the present.
  const share = ((index + random.next()) / total) ** 1.3;
  const occasion = occasionAt(random, index);
  if (index === 0)
    return { ...callOf(options, random, occasion, start - 40 * minute, 1_500), ...appearingLater(start, 15) };
  // Gong was slow to process this call: newer calls are listed before it.
  if (index === 1)
    return { ...callOf(options, random, occasion, start - 5 * hour, 2_100), ...appearingLater(start, 120) };
  const startTime = officeTime(Math.min(start - share * age, start - 6 * hour));
  if (index === 20) return { ...callOf(options, random, workshop, startTime, 13_200), ...large };
  return { ...callOf(options, random, occasion, startTime, durationOf(random, occasion)), ...oddity(index) };
}

/** A call that appears in lists minutes after the sandbox starts; its analysis appears even later. */
function appearingLater(start: number, minutes: number): Pick<CallRow, 'ready' | 'analysed'> {
  const ready = start + minutes * minute;
  return { ready, analysed: ready + 5 * minute };
}

const workshop: Occasion = {
  title: 'Kestrel Health <> Fernhill: training day',
  customer: 'Kestrel Health',
  project: null,
  team: 'SUP',
  colleagues: ['dana.whitfield', 'chloe.nguyen'],
  kind: 'meeting',
  purpose: 'Training',
};

const large: { recording: Recording; isPrivate: boolean } = {
  recording: { hasAudio: true, hasVideo: true, bitrate: 64_000 },
  isPrivate: false,
};

function oddity(index: number): { recording?: Recording } {
  if (index % 50 !== 12) return {};
  return { recording: { hasAudio: false, hasVideo: false, bitrate: 8_000 } };
}

function durationOf(random: Random, { kind }: Occasion): number {
  return kind === 'phone' ? random.between(90, 900) : random.between(900, 3_300);
}

function callOf(options: CallSeed, random: Random, occasion: Occasion, startTime: number, duration: number): CallRow {
  const { users, workspaces } = options;
  const id = idFrom(random);
  const scheduled = Math.floor(startTime / (15 * minute)) * 15 * minute;
  const digits = random.pick([0, 3, 6] as const);
  const late = random.between(0, 240_000);
  const started = scheduled + (digits === 0 ? Math.floor(late / 1000) * 1000 : late);
  const ready = started + duration * 1000 + random.between(4, 25) * minute;
  const isPhone = occasion.kind === 'phone';
  const isMeeting = occasion.kind === 'meeting' || occasion.kind === 'internal';
  return {
    id,
    occasion,
    scheduled,
    started,
    digits,
    duration,
    ready,
    analysed: ready,
    workspaceId: workspaces[occasion.team === 'SUP' && occasion.kind === 'phone' ? 1 : 0]!.id,
    hostId: users.find(({ key }) => key === occasion.colleagues[0])!.id,
    isPrivate: occasion.purpose === 'Coaching',
    isWhisperEnabled: random.chance(0.8),
    recording: { hasAudio: true, hasVideo: isMeeting, bitrate: 8_000 },
    system: systemOf(random, occasion),
    direction: isPhone ? random.pick(['Inbound', 'Outbound'] as const) : isMeeting ? 'Conference' : 'Unknown',
    scope: occasion.kind === 'internal' ? 'Internal' : occasion.kind === 'upload' ? 'Unknown' : 'External',
    language: occasion.customer === 'Atelier Moreau' && isPhone ? 'fra' : occasion.kind === 'upload' ? 'und' : 'eng',
    meetingUrl: meetingUrlOf(random, occasion, id),
    calendarEventId: isMeeting ? random.uuid().replaceAll('-', '').slice(0, 26) : null,
    parties: partiesOf(random, occasion, users),
    seed: random.between(1, 2 ** 31),
  };
}

function systemOf(random: Random, { kind }: Occasion): string {
  if (kind === 'phone') return 'Gong Connect';
  return kind === 'upload' ? 'Upload API' : random.pick(['Zoom', 'Zoom', 'Google Meet', 'Microsoft Teams']);
}

function meetingUrlOf(random: Random, { kind }: Occasion, id: string): string | null {
  const number = random.between(10_000_000_000, 99_999_999_999);
  if (kind === 'phone') return null;
  // This host rejects requests without a signature.
  if (kind === 'upload') return `https://fernhill-uploads.s3.amazonaws.com/${id}/media.mp3`;
  return `https://meet.fernhill.example/j/${number}`;
}

/** The latest earlier time during office hours: weekdays, 8 am to 6 pm. */
function officeTime(time: number): number {
  const weekday = new Date(time).getUTCDay();
  const back = weekday === 0 ? 2 : weekday === 6 ? 1 : 0;
  const moved = time - back * day;
  const local = Number(formatTimestamp(moved).slice(11, 13));
  const wanted = 8 + (local % 10);
  if (local >= 8 && local < 18) return moved;
  return officeTime(moved - (local < 8 ? 24 - wanted + local : local - wanted) * hour);
}
