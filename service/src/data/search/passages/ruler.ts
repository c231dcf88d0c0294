import { insidePair } from './graphemes.js';

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
export function rulerOf(text: string): Ruler {
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
