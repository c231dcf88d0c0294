import { Random } from '../random.js';
import type { GongContext } from './context.js';
import type { CallRow } from './rows.js';
import { idFrom } from './seed/ids.js';
import { formatTimestamp } from './timestamps.js';

const hour = 3_600_000;
const remarks = [
  'Listen to this, that is how to ask.',
  'We should tell the product team.',
  'Nice pause here 👏',
  'Was that price agreed with anybody?',
];

/** Comments on a call; most calls have none. */
export function commentsOf(call: CallRow, wanted: Record<string, unknown>, { world, now }: GongContext): object {
  const random = new Random(call.seed ^ 0x77c3);
  if (wanted.publicComments !== true || call.isPrivate || !random.chance(0.25)) return {};
  const writers = world.users.filter(({ active }) => active);
  const comments: object[] = [];
  let before: string | null = null;
  for (let place = 0; place <= random.between(0, 2); place += 1) {
    const id = idFrom(random);
    const from = random.between(10, call.duration - 20);
    const posted = call.ready + random.between(1, 40) * hour;
    if (posted > now) continue;
    comments.push({
      id,
      audioStartTime: from,
      audioEndTime: from + random.between(2, 15),
      commenterUserId: random.pick(writers).id,
      comment: random.pick(remarks),
      posted: formatTimestamp(posted, 6),
      inReplyTo: place === 1 ? before : null,
      duringCall: false,
    });
    before = id;
  }
  return { publicComments: comments };
}
