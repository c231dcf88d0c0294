import type { ActionDescription } from '../describe.js';
import { pageSizeOf } from './page-size.js';
import { formsOf } from './schema.js';
import { bytesOf } from './tokens.js';

type Values = Readonly<Record<string, unknown>>;

/** What came of an action, as hints see it. */
export interface Outcome {
  readonly action: ActionDescription;
  readonly params: Values;
  readonly data: unknown;
  readonly meta: Values;
}

const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

/** The parameter that asks for the next page, and the key of meta that its value is from. */
function pageLink({ action, params, meta }: Outcome): readonly [parameter: string, key: string] | undefined {
  const forms = formsOf(action.params);
  const meant = forms.find(({ required = [] }) => required.some((name) => Object.hasOwn(params, name))) ?? forms[0];
  for (const [name, { description = '' }] of Object.entries(meant?.properties ?? {})) {
    const said = /`?(?:meta\.)?(\w+)`? of the previous page/.exec(description)?.[1];
    const key = [said, `next${capital(name)}`].find((found) => found !== undefined && Object.hasOwn(meta, found));
    if (key !== undefined) return [name, key];
  }
  return undefined;
}

/** Says how to ask for the next page where meta says that there is one. */
export function nextPageHint(outcome: Outcome): string | undefined {
  const { action, meta, data, params } = outcome;
  if (!action.paginated || !Array.isArray(data)) return undefined;
  const ended = Object.entries(meta).some(([key, value]) => /more|hasnext/i.test(key) && value === false);
  const link = pageLink(outcome);
  if (link) {
    const [parameter, key] = link;
    const there = !ended && meta[key] !== null && meta[key] !== undefined;
    return there ? `There are more: repeat the call with ${parameter} set to meta.${key}.` : undefined;
  }
  const size = pageSizeOf(action.params, params);
  if (!size || ended || data.length < Number(params[size.name])) return undefined;
  return `As many came as ${size.name} allows, so there may be more.`;
}

const positions = /cursor|token|after|offset|page/i;

/** Says why a list is empty, as far as that can be known. */
export function emptyHint(outcome: Outcome): string | undefined {
  const { action, params, data, meta } = outcome;
  if (!Array.isArray(data) || data.length > 0) return undefined;
  if (nextPageHint(outcome)) return 'This page is empty, and yet not the last.';
  const { readiness } = meta;
  if (readiness !== undefined) return `Nothing was found; the replica may not be complete: see meta.readiness.`;
  const dropped = Object.keys(meta).find((key) => /dropped|hidden/.test(key) && Number(meta[key]) > 0);
  if (dropped) return `Nothing is left of this page: see meta.${dropped}.`;
  const size = pageSizeOf(action.params, params)?.name;
  const defaults = formsOf(action.params)[0]?.properties ?? {};
  const chosen = Object.entries(params).flatMap(([name, value]) => {
    const standard = name === size || positions.test(name) || value === defaults[name]?.default;
    return standard || JSON.stringify(value) === '{}' ? [] : [name];
  });
  return chosen.length > 0
    ? `Nothing fits ${chosen.join(', ')}; with less asked for there may be something.`
    : 'There is nothing that these credentials may see.';
}

/** Shares of its JSON that a record's fields take, the largest first. */
function heaviest(data: unknown): Array<readonly [name: string, share: number]> {
  const records = (Array.isArray(data) ? data : [data]).filter((item) => typeof item === 'object' && item !== null);
  const sizes = new Map<string, number>();
  let all = 0;
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) {
      const size = bytesOf(JSON.stringify(value) ?? '');
      sizes.set(name, (sizes.get(name) ?? 0) + size);
      all += size;
    }
  }
  return [...sizes].map(([name, size]) => [name, size / all] as const).sort(([, one], [, other]) => other - one);
}

// A name may come from outside too, and hints stand outside of the marks.
const plainName = /^\w{1,40}$/;

/** Says how the same could be had in less. */
export function narrowHint({ action, params, data }: Outcome): string {
  const heavy =
    action.hosted_only && 'semantic' in params
      ? []
      : heaviest(data).filter(([name, share]) => share >= 0.2 && plainName.test(name));
  const size = Array.isArray(data) && data.length > 1 ? pageSizeOf(action.params, params) : undefined;
  const named = heavy.slice(0, 3).map(([name, share]) => `${name} (${Math.round(share * 100)} %)`);
  const ways = [
    'select_fields for what you need',
    ...(named.length > 0 ? [`exclude_fields for ${named.join(', ')}`] : []),
    ...(size ? [`a smaller ${size.name}`] : []),
  ];
  return `For less: ${ways.join(', or ')}.`;
}
