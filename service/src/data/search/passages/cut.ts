import { passageSize, type Segment } from 'agent-connectors/replication';
import type { PassageSpan } from '../../records/passages/types.js';
import { divide } from './boundaries.js';
import { dropBlank, lastGrapheme, skipBlank } from './graphemes.js';
import { type Place, type Ruler, rulerOf } from './ruler.js';

/** A text, and the passages that it is cut into. */
export interface CutText {
  readonly text: string;
  readonly passages: readonly PassageSpan[];
}

/** A part of a text that is not divided: a segment, or a part of a long one. */
interface Piece {
  readonly start: Place;
  readonly end: Place;
}

type Attribution = PassageSpan['attribution'];

const { least, most } = passageSize;
/** How much of a part of a long segment comes again in the next one: what is wanted, and the bounds. */
const overlap = { wanted: 0.15, least: 0.05, most: 0.25 } as const;

/** Joins segments to a text, and cuts it into passages within which the attribution does not change. */
export function cut(segments: Iterable<Segment>): CutText {
  const all = [...segments];
  const text = all.map((segment) => segment.text).join('\n');
  const ruler = rulerOf(text);
  const passages: PassageSpan[] = [];
  let run = runOf(text, ruler);
  let attribution: Attribution = {};
  const finish = () => {
    for (const pieces of run.packs()) passages.push(passageOf(pieces, attribution));
  };
  let start = 0;
  for (const segment of all) {
    const { attribution: own = {} } = segment;
    if (!isSame(own, attribution)) {
      finish();
      run = runOf(text, ruler);
      attribution = own;
    }
    run.add(start, start + segment.text.length);
    start += segment.text.length + 1;
  }
  finish();
  return { text, passages };
}

const passageOf = (pieces: readonly Piece[], attribution: Attribution): PassageSpan => ({
  start: pieces[0]!.start.point,
  end: pieces.at(-1)!.end.point,
  attribution,
});

function isSame(one: Attribution, other: Attribution): boolean {
  if (one === other) return true;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** Packs the segments of one attribution. */
function runOf(text: string, ruler: Ruler) {
  const packs: Piece[][] = [];
  return {
    add(from: number, to: number): void {
      const end = dropBlank(text, from, to);
      if (end === from) return;
      const piece = { start: ruler.place(skipBlank(text, from, end)), end: ruler.place(end) };
      const pack = packs.at(-1);
      if (pack && piece.end.point - pack[0]!.start.point <= most) {
        pack.push(piece);
      } else if (lengthOf([piece]) <= most) {
        if (pack) borrow(packs);
        packs.push([piece]);
      } else {
        // What is too short to stand alone begins the first part of a long segment.
        const [first] = pack && lengthOf(pack) < least ? packs.pop()! : [piece];
        const whole = { start: first!.start, end: piece.end };
        for (const part of partsOf(text, ruler, whole)) packs.push([part]);
      }
    },
    packs(): readonly Piece[][] {
      borrow(packs);
      return packs;
    },
  };
}

const lengthOf = (pieces: readonly Piece[]): number => pieces.at(-1)!.end.point - pieces[0]!.start.point;

/** Fills up a last pack that is short with segments out of the one before. */
function borrow(packs: Piece[][]): void {
  const [given, short] = packs.slice(-2);
  if (!given || !short) return;
  while (lengthOf(short) < least && given.length > 1) {
    const shorter = given.slice(0, -1);
    const longer = [given.at(-1)!, ...short];
    if (lengthOf(longer) > most || lengthOf(shorter) < Math.min(least, lengthOf(longer))) return;
    short.unshift(given.pop()!);
  }
}

/** Divides what is too long for one passage, into parts of about one length. */
function* partsOf(text: string, ruler: Ruler, { start: first, end }: Piece): Iterable<Piece> {
  let start = first;
  while (end.point - start.point > most) {
    const even = evenLength(end.point - start.point);
    const low = ruler.behind(start, least);
    const wanted = ruler.behind(low, even - least);
    const high = ruler.behind(wanted, most - even).unit;
    const place = divide(text, low.unit, high, wanted.unit) ?? lastGrapheme(text, start.unit, high, end.unit);
    const part = { start, end: ruler.place(dropBlank(text, start.unit, place)) };
    yield part;
    start = ruler.place(skipBlank(text, again(text, ruler, part) ?? place, end.unit));
  }
  if (start.unit < end.unit) yield { start, end };
}

/** How long parts are that share a length evenly and overlap. */
function evenLength(length: number): number {
  const shared = most * overlap.wanted;
  const parts = Math.ceil((length - shared) / (most - shared));
  return Math.ceil((length + (parts - 1) * shared) / parts);
}

/** Where the next part begins within the one before it. */
function again(text: string, ruler: Ruler, part: Piece): number | undefined {
  const length = lengthOf([part]);
  if (length < least) return undefined;
  const low = ruler.behind(part.start, Math.round(length * (1 - overlap.most)));
  const wanted = ruler.behind(low, Math.round(length * (overlap.most - overlap.wanted)));
  const high = ruler.behind(wanted, Math.round(length * (overlap.wanted - overlap.least)));
  return divide(text, low.unit, high.unit, wanted.unit);
}
