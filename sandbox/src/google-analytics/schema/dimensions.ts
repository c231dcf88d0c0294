import { compactDate, dateOf } from '../dates.js';
import { devices } from '../visits/devices.js';
import { locations, type VisitorLocation } from '../visits/locations.js';
import type { Page } from '../visits/pages.js';
import type { Source } from '../visits/sources.js';
import { eventNames, type VisitStream } from '../visits/stream.js';

/** User attributes that Google infers or the company knows, derived from a number below 10,000. */
type Trait = (trait: number) => string;

const brackets = ['18-24', '25-34', '35-44', '45-54', '55-64', '65+'];
const topics = ['Business Services', 'Software', 'News', 'Travel', 'Sports'];

/** Age, unknown for most. */
const ages: Trait = (trait) => (trait % 10 < 6 ? 'unknown' : brackets[trait % 6]!);

/** Gender, unknown for most. */
const genders: Trait = (trait) => (trait % 11 < 6 ? 'unknown' : trait % 2 === 0 ? 'female' : 'male');

/** Inferred interests. */
const interests: Trait = (trait) => (trait % 7 < 4 ? '(not set)' : topics[trait % 5]!);

/** A customer's plan. */
const plans: Trait = (trait) => (trait % 13 < 7 ? '(not set)' : ['free', 'team', 'enterprise'][trait % 3]!);

/** A user's audience. */
function audiences(trait: number): { name: string; id: string } {
  return trait % 9 < 7 ? { name: 'All Users', id: '3202000011' } : { name: 'Has signed up', id: '3202000012' };
}

/** A report dimension. */
export interface Dimension {
  name: string;
  title: string;
  category: string;
  /** Whether rows with few users are withheld. */
  isThresholded?: true;
  isCustom?: true;
  read: ValueExtractor;
}

/** How to compute a dimension's value: from the day, from a number, or not at all. */
export type ValueExtractor =
  | { per: 'day'; value(day: number): string }
  | { per: 'session'; code(stream: VisitStream, session: number): number; value: Value }
  | { per: 'view'; code(stream: VisitStream, view: number): number; value: Value }
  | { per: 'event' | 'item' | 'range'; value: Value };

type Value = (stream: VisitStream, code: number) => string;

const twoDigits = (number: number) => String(number).padStart(2, '0');
const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

function dayDimension(name: string, title: string, value: (day: number) => string): Dimension {
  return { name, title, category: 'Time', read: { per: 'day', value } };
}

function minuteDimension(name: string, title: string, value: (minute: number) => string): Dimension {
  const read: ValueExtractor = {
    per: 'session',
    code: (stream, session) => stream.minute[session]!,
    value: (_, minute) => value(minute),
  };
  return { name, title, category: 'Time', read };
}

function locationDimension(name: string, title: string, key: keyof VisitorLocation, category = 'Geography'): Dimension {
  const read: ValueExtractor = {
    per: 'session',
    code: (stream, session) => stream.location[stream.user[session]!]!,
    value: (_, code) => locations[code]!.value[key],
  };
  return { name, title, category, read };
}

function deviceDimension(name: string, title: string, key: 'category' | 'operatingSystem' | 'browser'): Dimension {
  const read: ValueExtractor = {
    per: 'session',
    code: (stream, session) => stream.device[stream.user[session]!]!,
    value: (_, code) => devices[code]!.value[key],
  };
  return { name, title, category: 'Platform / device', read };
}

function sourceDimension(name: string, title: string, value: (source: Source) => string): Dimension {
  const isFirst = name.startsWith('firstUser');
  const read: ValueExtractor = {
    per: 'session',
    code: ({ source, firstSource, user }, session) => (isFirst ? firstSource[user[session]!]! : source[session]!),
    value: ({ sources }, code) => value(sources[code]!),
  };
  return { name, title, category: 'Traffic source', read };
}

function traitDimension(
  name: string,
  title: string,
  value: (trait: number) => string,
  more: Partial<Dimension>,
): Dimension {
  const read: ValueExtractor = {
    per: 'session',
    code: (stream, session) => stream.trait[stream.user[session]!]!,
    value: (_, code) => value(code),
  };
  return { name, title, category: 'Demographics', read, ...more };
}

function pageDimension(name: string, title: string, value: (page: Page) => string): Dimension {
  const read: ValueExtractor = {
    per: 'view',
    code: (stream, view) => stream.page[view]!,
    value: ({ pages }, code) => value(pages[code]!),
  };
  return { name, title, category: 'Page / screen', read };
}

function landingDimension(name: string, title: string, value: (page: Page) => string): Dimension {
  const read: ValueExtractor = {
    per: 'session',
    code: ({ page, firstView }, session) => page[firstView[session]!]!,
    value: ({ pages }, code) => value(pages[code]!),
  };
  return { name, title, category: 'Page / screen', read };
}

const month = (day: number) => compactDate(day).slice(4, 6);
const year = (day: number) => compactDate(day).slice(0, 4);
const isoThursday = (day: number) => day - ((dateOf(day).getUTCDay() + 6) % 7) + 3;
const dayOfYear = (day: number) => day - Date.UTC(Number(year(day)), 0, 1) / 86_400_000;
const isoWeek = (day: number) => twoDigits(Math.floor(dayOfYear(isoThursday(day)) / 7) + 1);
/** Weeks start on Sunday; the first one contains January 1. */
const week = (day: number) =>
  twoDigits(Math.floor((dayOfYear(day) + dateOf(day - dayOfYear(day)).getUTCDay()) / 7) + 1);
const withHour = ({ day, minute }: VisitStream, session: number, step: number) =>
  day[session]! * 1440 + Math.floor(minute[session]! / step) * step;
const clock = (code: number) => `${compactDate(Math.floor(code / 1440))}${twoDigits(Math.floor((code % 1440) / 60))}`;
const withoutSlash = (path: string) => (path === '/' ? path : path.replace(/\/$/, ''));
const demographic = { isThresholded: true } as const;

/** All dimensions. */
export const dimensions: readonly Dimension[] = [
  dayDimension('date', 'Date', compactDate),
  dayDimension('day', 'Day', (day) => compactDate(day).slice(6)),
  dayDimension('month', 'Month', month),
  dayDimension('year', 'Year', year),
  dayDimension('yearMonth', 'Year month', (day) => compactDate(day).slice(0, 6)),
  dayDimension('week', 'Week', week),
  dayDimension('yearWeek', 'Year week', (day) => `${year(day)}${week(day)}`),
  dayDimension('isoWeek', 'ISO week of the year', isoWeek),
  dayDimension('isoYear', 'ISO year', (day) => year(isoThursday(day))),
  dayDimension('isoYearIsoWeek', 'ISO week of ISO year', (day) => `${year(isoThursday(day))}${isoWeek(day)}`),
  dayDimension('dayOfWeek', 'Day of week', (day) => String(dateOf(day).getUTCDay())),
  dayDimension('dayOfWeekName', 'Day of week name', (day) => weekdays[dateOf(day).getUTCDay()]!),
  minuteDimension('hour', 'Hour', (minute) => twoDigits(Math.floor(minute / 60))),
  minuteDimension('minute', 'Minute', (minute) => twoDigits(minute % 60)),
  {
    name: 'dateHour',
    title: 'Date + hour (YYYYMMDDHH)',
    category: 'Time',
    read: { per: 'session', code: (stream, session) => withHour(stream, session, 60), value: (_, code) => clock(code) },
  },
  {
    name: 'dateHourMinute',
    title: 'Date hour and minute',
    category: 'Time',
    read: {
      per: 'session',
      code: (stream, session) => withHour(stream, session, 1),
      value: (_, code) => `${clock(code)}${twoDigits(code % 60)}`,
    },
  },
  { name: 'dateRange', title: 'Date range', category: 'Time', read: { per: 'range', value: () => '' } },
  locationDimension('country', 'Country', 'country'),
  locationDimension('countryId', 'Country ID', 'countryId'),
  locationDimension('region', 'Region', 'region'),
  locationDimension('city', 'City', 'city'),
  locationDimension('continent', 'Continent', 'continent'),
  locationDimension('language', 'Language', 'language', 'Demographics'),
  deviceDimension('deviceCategory', 'Device category', 'category'),
  deviceDimension('operatingSystem', 'Operating system', 'operatingSystem'),
  deviceDimension('browser', 'Browser', 'browser'),
  {
    name: 'platform',
    title: 'Platform',
    category: 'Platform / device',
    read: { per: 'session', code: () => 0, value: () => 'web' },
  },
  ...(['session', 'firstUser'] as const).flatMap((scope) => {
    const title = scope === 'session' ? 'Session' : 'First user';
    return [
      sourceDimension(`${scope}Source`, `${title} source`, ({ source }) => source),
      sourceDimension(`${scope}Medium`, `${title} medium`, ({ medium }) => medium),
      sourceDimension(
        `${scope}SourceMedium`,
        `${title} source / medium`,
        ({ source, medium }) => `${source} / ${medium}`,
      ),
      sourceDimension(`${scope}CampaignName`, `${title} campaign`, ({ campaign }) => campaign),
      sourceDimension(
        scope === 'session' ? 'sessionDefaultChannelGroup' : 'firstUserDefaultChannelGroup',
        `${title} default channel group`,
        ({ channel }) => channel,
      ),
    ];
  }),
  pageDimension('hostName', 'Hostname', ({ host }) => host),
  pageDimension('pagePath', 'Page path', ({ path }) => path),
  pageDimension('pagePathPlusQueryString', 'Page path + query string', ({ pathAndQuery }) => pathAndQuery),
  pageDimension('pageTitle', 'Page title', ({ title }) => title),
  pageDimension('unifiedPagePathScreen', 'Page path and screen class', ({ path }) => path),
  pageDimension('fullPageUrl', 'Full page URL', ({ host, pathAndQuery }) => `${host}${pathAndQuery}`),
  pageDimension('contentGroup', 'Content group', ({ group }) => group),
  landingDimension('landingPage', 'Landing page', ({ path }) => withoutSlash(path)),
  landingDimension('landingPagePlusQueryString', 'Landing page + query string', ({ pathAndQuery }) =>
    withoutSlash(pathAndQuery),
  ),
  {
    name: 'eventName',
    title: 'Event name',
    category: 'Event',
    read: { per: 'event', value: (_, code) => eventNames[code]! },
  },
  {
    name: 'newVsReturning',
    title: 'New / returning',
    category: 'User',
    read: {
      per: 'session',
      code: ({ events, firstView }, session) => (events[firstView[session]!]! >> 2) & 1,
      value: (_, code) => (code === 1 ? 'new' : 'returning'),
    },
  },
  traitDimension('userAgeBracket', 'Age', ages, demographic),
  traitDimension('userGender', 'Gender', genders, demographic),
  traitDimension('brandingInterest', 'Interests', interests, demographic),
  traitDimension('audienceName', 'Audience name', (trait) => audiences(trait).name, {
    ...demographic,
    category: 'User',
  }),
  traitDimension('audienceId', 'Audience ID', (trait) => audiences(trait).id, { ...demographic, category: 'User' }),
  traitDimension('customUser:plan', 'Plan', plans, { category: 'Custom', isCustom: true }),
  { name: 'itemName', title: 'Item name', category: 'Ecommerce', read: { per: 'item', value: () => '' } },
  { name: 'itemId', title: 'Item ID', category: 'Ecommerce', read: { per: 'item', value: () => '' } },
];
