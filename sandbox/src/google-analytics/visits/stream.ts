import { Random } from '../../random.js';
import { dateOf } from '../dates.js';
import type { Property } from '../properties.js';
import { devices } from './devices.js';
import { locations } from './locations.js';
import { applicationPages, type Page, websitePages } from './pages.js';
import { applicationSources, launches, launchTraffic, type Source, websiteSources } from './sources.js';
import { weightedSampler } from './weights.js';

/** Event names; a view stores a set of them as bits, by index. */
export const eventNames = [
  'page_view',
  'session_start',
  'first_visit',
  'user_engagement',
  'scroll',
  'sign_up',
  'view_search_results',
] as const;

/** The bit of an event. */
export function bitOf(name: (typeof eventNames)[number]): number {
  return 1 << eventNames.indexOf(name);
}

/** Days of data before the sandbox started. */
const history = 430;

/** The day the website's tag was missing, so nothing was collected. */
const lostDay = -47;

const weekdays = {
  website: [0.55, 1.1, 1.16, 1.12, 1.06, 0.92, 0.5],
  application: [0.2, 1.25, 1.2, 1.2, 1.15, 1.0, 0.2],
} as const;
const hours = [1, 0.5, 0.4, 0.3, 0.4, 0.8, 2, 4, 7, 9, 10, 9, 7, 8, 9, 8, 7, 6, 5, 5, 4, 4, 3, 2];
const drawHour = weightedSampler(hours.map((weight, value) => ({ weight, value })));
const drawLocation = weightedSampler(locations);
const drawDevice = weightedSampler(devices);

/** Inputs of a visit stream. */
export interface StreamOptions {
  seed: number;
  scale: number;
  /** The day the sandbox started, in the property's time zone. */
  startDay: number;
}

/** All visits to a property, stored in columns: who, when, from where, and what was viewed. */
export class VisitStream {
  readonly sources: Source[];
  readonly pages: Page[];
  /** Per session. */
  readonly day: number[] = [];
  readonly minute: number[] = [];
  readonly user: number[] = [];
  readonly source: number[] = [];
  readonly seconds: number[] = [];
  readonly isEngaged: boolean[] = [];
  /** Index of each session's first view, plus the end of the last session. */
  readonly firstView: number[] = [0];
  /** Per view. */
  readonly page: number[] = [];
  readonly events: number[] = [];
  readonly engagementSeconds: number[] = [];
  /** Per user. */
  readonly location: number[] = [];
  readonly device: number[] = [];
  readonly firstSource: number[] = [];
  readonly trait: number[] = [];

  private readonly property: Property;
  private readonly options: StreamOptions;
  private readonly drawPage: (random: Random) => number;
  private readonly drawSource: (random: Random) => number;
  private readonly starts: number[] = [];
  private readonly firstDay: number;

  constructor(property: Property, options: StreamOptions) {
    this.property = property;
    this.options = options;
    this.firstDay = options.startDay - history;
    const isWebsite = property.site === 'website';
    const pages = isWebsite ? websitePages : applicationPages;
    const sources = isWebsite ? websiteSources : applicationSources;
    this.drawPage = weightedSampler(pages);
    this.drawSource = weightedSampler(sources);
    this.pages = pages.map(({ value }) => value);
    this.sources = [...sources, ...launches.flatMap((launch) => launch.sources)].map(({ value }) => value);
  }

  /** The first session of a day, or the number of sessions if the day is in the future. */
  startOf(day: number): number {
    return this.starts[Math.max(0, day - this.firstDay)] ?? this.day.length;
  }

  /** Generates visits up to the end of a day. */
  extendTo(day: number): void {
    for (let next = this.firstDay + this.starts.length; next <= day; next += 1) {
      this.starts.push(this.day.length);
      if (this.property.dailyVisits > 0) this.addDay(next);
    }
  }

  private addDay(day: number): void {
    const offset = day - this.options.startDay;
    const isWebsite = this.property.site === 'website';
    const random = new Random(Math.imul(this.options.seed ^ Number(this.property.id), 0x9e3779b1) ^ (offset * 7919));
    if (isWebsite && offset === lostDay) return;
    const baseVisits = this.property.dailyVisits * this.options.scale;
    const origins: number[] = [];
    const count = Math.round(baseVisits * this.trafficFactor(day, offset) * (0.9 + random.next() * 0.2));
    for (let index = 0; index < count; index += 1) origins.push(this.drawSource(random));
    let first = this.sources.length - launches.reduce((sum, { sources }) => sum + sources.length, 0);
    for (const launch of launches) {
      const added = isWebsite ? Math.round(baseVisits * launchTraffic(launch, offset)) : 0;
      for (let index = 0; index < added; index += 1) origins.push(first + launch.draw(random));
      first += launch.sources.length;
    }
    const visits = origins.map((source) => ({ source, minute: drawHour(random) * 60 + random.between(0, 59) }));
    visits.sort((one, other) => one.minute - other.minute);
    for (const { source, minute } of visits) this.addSession(random, day, minute, source);
  }

  /** Weekly pattern and slow growth, plus an end-of-month effect for the application. */
  private trafficFactor(day: number, offset: number): number {
    const date = dateOf(day);
    const monthDay = date.getUTCDate();
    const isClosing = this.property.site === 'application' && (monthDay >= 27 || monthDay <= 3);
    return weekdays[this.property.site][date.getUTCDay()]! * Math.max(0.3, 1 + offset * 0.0012) * (isClosing ? 1.4 : 1);
  }

  private addSession(random: Random, day: number, minute: number, source: number): void {
    const before = this.location.length;
    const user = this.drawUser(random, source);
    const isNew = user === before;
    const origin = this.sources[source]!;
    const isBounce = random.chance(origin.bounces);
    let count = 1;
    while (!isBounce && count < 25 && random.chance(count === 1 ? 0.8 : 0.62)) count += 1;
    let seconds = 0;
    for (let index = 0; index < count; index += 1) {
      const page = index === 0 ? this.landing(random, origin) : this.drawPage(random);
      const spent = isBounce ? random.between(0, 9) : 6 + Math.floor(-Math.log(1 - random.next()) * 42);
      seconds += spent;
      this.page.push(page);
      this.engagementSeconds.push(isBounce ? 0 : Math.round(spent * 0.7));
      this.events.push(this.eventsOf(random, { page, isFirst: index === 0, isNew, isBounce, spent }));
    }
    this.day.push(day);
    this.minute.push(minute);
    this.user.push(user);
    this.source.push(source);
    this.seconds.push(seconds);
    this.isEngaged.push(!isBounce && (count > 1 || seconds >= 10));
    this.firstView.push(this.page.length);
  }

  /** Draws a new or returning visitor; recent visitors are more likely to return. */
  private drawUser(random: Random, source: number): number {
    const userCount = this.location.length;
    const isWebsite = this.property.site === 'website';
    const settled = isWebsite ? 0 : 90 * this.options.scale;
    const newUserShare = isWebsite ? 0.6 : userCount < settled ? 0.7 : 0.035;
    if (userCount > 0 && !random.chance(newUserShare)) {
      const reach = Math.min(userCount, Math.ceil((isWebsite ? 700 : 260) * this.options.scale));
      return userCount - 1 - Math.floor(random.next() ** 2 * reach);
    }
    this.location.push(drawLocation(random));
    this.device.push(drawDevice(random));
    this.firstSource.push(source);
    this.trait.push(random.between(0, 9999));
    return userCount;
  }

  private landing(random: Random, { landing, tags }: Source): number {
    const chosen = landing === undefined ? -1 : this.pages.findIndex(({ path }) => path === landing);
    const page = chosen < 0 ? this.drawPage(random) : chosen;
    if (tags === undefined) return page;
    const { pathAndQuery, ...rest } = this.pages[page]!;
    const mark = `${pathAndQuery.includes('?') ? '&' : '?'}${tags}=IwAR${random.uuid().slice(0, 8)}`;
    return this.pages.push({ ...rest, pathAndQuery: `${pathAndQuery}${mark}` }) - 1;
  }

  private eventsOf(
    random: Random,
    view: { page: number; isFirst: boolean; isNew: boolean; isBounce: boolean; spent: number },
  ): number {
    const { path } = this.pages[view.page]!;
    let events = bitOf('page_view');
    if (view.isFirst) events |= bitOf('session_start');
    if (view.isFirst && view.isNew) events |= bitOf('first_visit');
    if (!view.isBounce) events |= bitOf('user_engagement');
    if (view.spent > 25 && random.chance(0.7)) events |= bitOf('scroll');
    if (path === '/signup' && !view.isBounce && random.chance(0.3)) events |= bitOf('sign_up');
    if (path === '/search') events |= bitOf('view_search_results');
    return events;
  }
}
