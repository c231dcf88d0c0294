import { Random } from '../random.js';
import type { CallRow, GongWorld } from './rows.js';

/** Everything that Gong counts of what somebody did with calls. */
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

/** The name of one thing that is counted. */
export type Counter = (typeof counters)[number];

/** Something that somebody did with a call, on the day of the call. */
export interface Deed {
  userId: string;
  counter: Counter;
  call: CallRow;
}

/** What happened with a call: who led it and was in it, and what came after. */
export function deedsOf(call: CallRow, { users }: GongWorld): Deed[] {
  const random = new Random(call.seed ^ 0x0de3d);
  const host = users.find(({ id }) => id === call.hostId)!;
  const manager = users.find(({ key }) => key === host.managerKey) ?? host;
  const deeds: Deed[] = [{ userId: host.id, counter: 'callsAsHost', call }];
  const add = (userId: string, ...names: Counter[]) => {
    for (const counter of names) deeds.push({ userId, counter, call });
  };
  for (const { userId } of call.parties) if (userId !== null && userId !== host.id) add(userId, 'callsAttended');
  if (random.chance(0.3)) add(host.id, 'ownCallsListenedTo');
  if (random.chance(0.2)) add(host.id, 'callsRequestedFeedback');
  if (random.chance(0.15)) add(host.id, random.chance(0.5) ? 'callsSharedInternally' : 'callsSharedExternally');
  if (manager === host) return deeds;
  if (random.chance(0.4)) add(manager.id, 'othersCallsListenedTo');
  if (random.chance(0.25)) both(add, manager.id, host.id, 'callsGaveFeedback', 'callsReceivedFeedback');
  if (random.chance(0.2)) both(add, manager.id, host.id, 'callsScorecardsFilled', 'callsScorecardsReceived');
  if (random.chance(0.2)) both(add, manager.id, host.id, 'callsCommentsGiven', 'callsCommentsReceived');
  if (random.chance(0.1)) {
    both(add, manager.id, host.id, 'callsMarkedAsFeedbackGiven', 'callsMarkedAsFeedbackReceived');
  }
  return deeds;
}

function both(
  add: (userId: string, counter: Counter) => void,
  giver: string,
  taker: string,
  given: Counter,
  taken: Counter,
): void {
  add(giver, given);
  add(taker, taken);
}
