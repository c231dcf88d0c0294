import { type Batch, ConnectorError, type Failure, type Source } from '../../../src/authoring.js';
import { propertiesIn } from '../properties.js';
import type { ReportName } from './calls.js';
import { dayIn, daysAfter, earlier, later } from './days.js';
import { type Place, type Step, stepsOf } from './report.js';

/** Days of one report: in a long one Google rolls more of the rare rows into one. */
const windowDays = 30;
/** Days before the last complete one that are read again: Google corrects its numbers for a day or two. */
const lookBackDays = 3;
/** How many days before today rows begin where nobody has said. */
const historyDays = 730;
/** Google refuses reports that begin earlier. */
const earliestDay = '2015-08-14';

/** How far each property has been read. */
type State = { readonly [property: string]: Place };

/** Reads a report of every property, from where the last run ended to the property's own today. */
export const reading = (name: ReportName) =>
  async function* read(source: Source): AsyncGenerator<Batch> {
    const properties = propertiesIn(source.config.property_ids);
    const failed: Failure[] = [];
    let state = (source.state ?? {}) as State;
    for (const [at, property] of properties.entries()) {
      try {
        for await (const { records, removed, place, done } of windowsOf(name, property, source, state[property])) {
          state = { ...state, [property]: place };
          yield { records, removed, state, progress: (at + done) / properties.length };
        }
      } catch (error) {
        if (!concernsProperty(error) || failed.length + 1 === properties.length) throw error;
        failed.push({ id: property, message: error.message });
      }
    }
    if (failed.length > 0) yield { failed, state, progress: 1 };
  };

/** Whether the others can be read where one is refused: an account may lose one property of several. */
const concernsProperty = (error: unknown): error is ConnectorError =>
  ConnectorError.is(error) && error.code === 'forbidden';

async function* windowsOf(
  name: ReportName,
  property: string,
  source: Source,
  last: Place | undefined,
): AsyncGenerator<Step & { readonly done: number }> {
  const now = source.now();
  const begun = last ?? firstPlace(source, now);
  const first = last ? daysToReadFrom(last) : begun.start;
  const began = earlier(first, begun.from);
  let place = begun;
  const todayThere = () => dayIn(place.timeZone, now);
  const steps = async function* (from: Place) {
    for await (const step of stepsOf(name, property, source, from)) {
      place = step.place;
      const next = place.offset === null ? daysAfter(place.to, 1) : place.from;
      yield { ...step, done: shareOf(began, next, later(todayThere(), place.to)) };
    }
  };

  if (place.offset !== null) yield* steps(place);
  for (let from = first; from <= todayThere(); from = daysAfter(place.to, 1)) {
    const to = earlier(daysAfter(from, windowDays - 1), todayThere());
    yield* steps({ ...place, from, to, offset: 0 });
  }
}

function firstPlace({ config }: Source, now: number): Place {
  const asked = dayIn(null, now);
  const given = typeof config.start_date === 'string' ? config.start_date : daysAfter(asked, -historyDays);
  const start = later(given, earliestDay);
  return { start, from: start, to: start, asked, offset: null, timeZone: null };
}

/** Where a run begins: after the last one, and some days before what was the last complete day then. */
const daysToReadFrom = ({ start, to, asked }: Place): string =>
  later(start, earlier(daysAfter(to, 1), daysAfter(asked, -1 - lookBackDays)));

const shareOf = (began: string, next: string, lastDay: string): number =>
  (Date.parse(next) - Date.parse(began)) / (Date.parse(daysAfter(lastDay, 1)) - Date.parse(began));
