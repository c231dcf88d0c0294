import { Random } from '../random.js';
import type { CallRow, GongWorld } from './rows.js';

/** Everything that Gong counts about a user's calls. */
export const counters = [
  'callsAsHost',
  'callsGaveFeedback',
  'callsRequestedFeedback',
  'callsReceivedFeedback',
  'ownCallsListenedTo',
  'othersCallsListenedTo',
  'callsSharedInternally',
  'callsSharedExternally',
  'callsScorecardsFilled',
  'callsScorecardsReceived',
  'callsAttended',
  'callsCommentsGiven',
  'callsCommentsReceived',
  'callsMarkedAsFeedbackGiven',
  'callsMarkedAsFeedbackReceived',
] as const;

/** Name of a counter. */
export type Counter = (typeof counters)[number];

/** What a user did with a call, on the day of the call. */
export interface CallActivity {
  userId: string;
  counter: Counter;
  call: CallRow;
}

/** A call's activities: hosting, participation and follow-ups. */
export function activitiesOf(call: CallRow, { users }: GongWorld): CallActivity[] {
  const random = new Random(call.seed ^ 0x0de3d);
  const host = users.find(({ id }) => id === call.hostId)!;
  const manager = users.find(({ key }) => key === host.managerKey) ?? host;
  const activities: CallActivity[] = [{ userId: host.id, counter: 'callsAsHost', call }];
  const add = (userId: string, ...names: Counter[]) => {
    for (const counter of names) activities.push({ userId, counter, call });
  };
  for (const { userId } of call.parties) if (userId !== null && userId !== host.id) add(userId, 'callsAttended');
  if (random.chance(0.3)) add(host.id, 'ownCallsListenedTo');
  if (random.chance(0.2)) add(host.id, 'callsRequestedFeedback');
  if (random.chance(0.15)) add(host.id, random.chance(0.5) ? 'callsSharedInternally' : 'callsSharedExternally');
  if (manager === host) return activities;
  if (random.chance(0.4)) add(manager.id, 'othersCallsListenedTo');
  if (random.chance(0.25)) addPair(add, manager.id, host.id, 'callsGaveFeedback', 'callsReceivedFeedback');
  if (random.chance(0.2)) addPair(add, manager.id, host.id, 'callsScorecardsFilled', 'callsScorecardsReceived');
  if (random.chance(0.2)) addPair(add, manager.id, host.id, 'callsCommentsGiven', 'callsCommentsReceived');
  if (random.chance(0.1)) {
    addPair(add, manager.id, host.id, 'callsMarkedAsFeedbackGiven', 'callsMarkedAsFeedbackReceived');
  }
  return activities;
}

function addPair(
  add: (userId: string, counter: Counter) => void,
  giverId: string,
  receiverId: string,
  givenCounter: Counter,
  receivedCounter: Counter,
): void {
  add(giverId, givenCounter);
  add(receiverId, receivedCounter);
}
