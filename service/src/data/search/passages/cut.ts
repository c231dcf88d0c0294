import { passageSize, plainSegments, type Replica, type Segment } from 'agent-connectors/replication';
import type { StoredRecord } from '../../records/entity.js';
import type { FieldText, PassageSpan } from '../../records/passages/types.js';
import type { TextsOf } from '../../records/types.js';
import { divide, dropBlank, insidePair, lastGrapheme, skipBlank } from './graphemes.js';

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

/** A place in a text, in code units and in code points from its beginning. */
export interface Place {
  readonly unit: number;
  readonly point: number;
}

/** Measures a text in code points; quick for places that lie near to the last one that was asked for. */
export interface Ruler {
  /** The place that lies so many code units behind the beginning. */
  place(unit: number): Place;
  /** The place that lies so many code points behind another one, or the end. */
  behind(place: Place, points: number): Place;
}

/** Makes the ruler of a text. */
function rulerOf(text: string): Ruler {
  const plain = !/[\ud800-\udbff][\udc00-\udfff]/.test(text);
  if (plain) {
    const place = (unit: number): Place => ({ unit, point: unit });
    return { place, behind: ({ unit }, points) => place(Math.min(text.length, unit + points)) };
  }
  let last: Place = { unit: 0, point: 0 };
  return {
    place(unit) {
      let { unit: at, point } = last;
      for (; at < unit; at++) if (!insidePair(text, at)) point += 1;
      for (; at > unit; at--) if (!insidePair(text, at - 1)) point -= 1;
      last = { unit, point };
      return last;
    },
    behind(place, points) {
      let { unit, point } = place;
      for (; point < place.point + points && unit < text.length; point++) unit += insidePair(text, unit + 1) ? 2 : 1;
      return { unit, point };
    },
  };
}

/** Cuts the fields of an entity's records that are searched by meaning; a field without words has no text. */
export function textsOf({ segments = {} }: Pick<Replica, 'segments'>, fields: Iterable<string>): TextsOf {
  const names = [...fields];
  return (record) =>
    names.flatMap((field): FieldText[] => {
      if (record[field] === null || record[field] === undefined) return [];
      const cutText = cut((segments[field] ?? paragraphsOf(field))(record));
      return cutText.passages.length > 0 ? [{ field, ...cutText }] : [];
    });
}

const paragraphsOf =
  (field: string) =>
  (record: StoredRecord): Iterable<Segment> => {
    const text = record[field];
    if (typeof text === 'string') return plainSegments(text);
    throw new TypeError(`The replication says of ${field}, which is no text, not what its segments are.`);
  };
