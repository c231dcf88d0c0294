import type { ErrorCode } from '../errors/connector-error.js';
import type { ConnectorDescription, EntityDescription } from '../manifest/describe.js';
import { operatorList } from '../search/language/operators.js';
import { sectionBytes } from './action-section.js';
import { pageSizeOf } from './page-size.js';
import { firstThatFits } from './tokens.js';

/** Auth modes, with notes from the guide. */
export function authSection({ auth }: ConnectorDescription, guide: string): string {
  const modes = (explained: boolean) =>
    auth
      .map(({ mode, description, fields }) => {
        const names = fields.map(({ name, required, description: text }) =>
          explained
            ? `  - ${name}${required ? '' : ' (optional)'}${text === description ? '' : `: ${text}`}`
            : `${name}${required ? '' : '?'}`,
        );
        return explained ? `- ${mode}: ${description}\n${names.join('\n')}` : `- ${mode}: {${names.join(', ')}}`;
      })
      .join('\n');
  const write = (explained: boolean) =>
    [
      '# auth',
      'The operator of this program sets the credentials; calls do not take credentials.',
      guide,
      modes(explained),
    ]
      .filter(Boolean)
      .join('\n\n');
  return firstThatFits(sectionBytes, [() => write(true), () => write(false)]);
}

/** Which fields and parameters identify records of which entities. */
export function relationsSection({ entities }: ConnectorDescription): string | undefined {
  const lines = entities.flatMap(({ name, relations = [] }) => {
    const byTarget = new Map<string, string[]>();
    for (const { path, entity, field } of relations) {
      const target = field === 'id' ? entity : `${entity}.${field}`;
      byTarget.set(target, [...(byTarget.get(target) ?? []), path]);
    }
    const texts = [...byTarget].map(([target, paths]) => `${paths.join(', ')} → ${target}`);
    return texts.length === 0 ? [] : `- ${name}: ${texts.join('; ')}`;
  });
  if (lines.length === 0) return undefined;
  return `# relations\n\nFields and parameters that contain the id, or the named field, of another record:\n\n${lines.join('\n')}`;
}

const searchableEntities = ({ entities }: ConnectorDescription): EntityDescription[] =>
  entities.filter(({ actions }) => actions.some(({ hosted_only }) => hosted_only));

/** How to search the replica. */
export function searchSection(description: ConnectorDescription, guide: string): string {
  const entities = searchableEntities(description);
  if (entities.length === 0) return '# search\n\nNo entity is searchable; list and get read from the vendor.';
  const found = entities.map(({ name, search }) => {
    const fields = Object.keys(search?.semantic ?? {});
    return fields.length > 0 ? `${name} (by meaning: its ${fields.join(' and ')})` : name;
  });
  return [
    '# search',
    `\`context_store_search\` searches the service's replica, not ${description.title}; without a service it fails with hosted_only: use list and get. The replica may lag behind. Searchable: ${found.join(', ')}.`,
    '- By conditions: {"query": {"filter": {"fuzzy": {"<field>": "words"}}, "sort": [{"<field>": "desc"}]}, "limit": 25}. {"query": {}} matches every record.',
    `- Operators: ${operatorList()}. On an array, they match an object element by the given fields: {"contains": {"<array>": {"<name>": "text"}}}. Several in one object must all match; and, or take arrays of filters, not takes one. Missing values match eq: null, in with null, and neq.`,
    '- Prefer fuzzy, which allows misspellings, over like. Write dates as 2026-08-31, or relative: now-7d, now/d; without an offset, they are in UTC. Use dotted paths for nested fields, and the fields parameter to keep the result small.',
    '- Without sort, keyword lists the best matches first: the exact title, the phrase, all words, then fewer.',
    '- keyword and fuzzy ignore case, accents, width, quotes and vowel points; a joined word such as ENG-104 or C++ counts as a whole. like, contains, startswith and endswith ignore case alone, eq nothing.',
    '- Counts and sums in one call: {"query": {"groupBy": "<field>", "aggregates": {"<name>": {"avg": "<field>"}}}}, with avg, min, max, sum or count_distinct; {"query": {"count": true}} counts all records. A filter narrows them.',
    '- By time: {"query": {"groupBy": {"<date field>": "month"}, "timeZone": "Europe/Berlin"}}, with hour, day, week, month, quarter or year; the default is UTC.',
    '- Next page: the same call with cursor from meta.cursor. Semantic search is not paginated.',
    '- Semantic: {"semantic": {"prompt": "what to look for"}, "limit": 10}, with field if several are searchable, filter to narrow the results, context_size for more than 300 characters around a hit. query and semantic are mutually exclusive.',
    "- To find an id: search or list the entity, then use the record's id.",
    '- limit is 1 to 10000, semantic 1 to 100. semantic also takes mode (dense, lexical, hybrid) and dedup (none: every passage).',
    '- meta: has_more; cursor; total (a lower bound unless total_is_exact); complete and missing: whether the replica has all that the search reads, and what it lacks; empty: what was searched if nothing is found.',
    guide,
  ]
    .filter(Boolean)
    .join('\n\n')
    .replaceAll('\n\n- ', '\n- ');
}

const adviceByCode: Readonly<Record<ErrorCode, string>> = {
  invalid_params: 'nothing was sent: fix every listed issue, see the parameter table',
  unknown_entity: 'use a name from the error',
  unknown_action: 'use a name from the error',
  hosted_only: 'needs a service; use list and get',
  invalid_credentials: 'the operator must fix the credentials',
  unauthorized: 'the credentials were rejected; the operator must fix them',
  scope_missing: 'the credentials do not have the scope named in the error; the operator must fix them',
  forbidden: 'not allowed for these credentials; do not retry',
  not_found: 'wrong id, or not visible; find the id with list or search',
  conflict: 'the record changed in the meantime; read it again',
  rate_limited: 'wait for the stated time, then retry',
  quota_exhausted: 'quota used up for hours; request less, or stop',
  not_exportable: 'use the action named in the error',
  not_downloadable: 'use the action named in the error',
  too_large: 'request less',
  vendor_error: 'vendor failure; retry once',
  invalid_response: 'the vendor sent an invalid response; do not retry',
  network: 'repeat once',
  timeout: 'retry with less',
  aborted: 'the call was cancelled',
  denied_by_policy: 'not allowed here: say so and stop',
  unknown_outcome: 'a write may have happened: say so and stop; check before any retry',
  cursor_expired: 'read the feed again without a cursor',
};

/** What to do about each error code. */
export const errorsSection = (guide: string): string =>
  [
    '# errors',
    "Errors are returned as text: code, message, issues, hint, then the action's parameters and an example. If a write is denied by policy or its outcome is unknown, say so and stop. invalid_params means nothing was sent: fix the call and retry.",
    Object.entries(adviceByCode)
      .map(([code, advice]) => `- ${code}: ${advice}.`)
      .join('\n'),
    guide,
  ]
    .filter(Boolean)
    .join('\n\n');

/** Rate limits and page sizes. */
export function limitsSection({ entities }: ConnectorDescription, guide: string): string {
  const bySize = new Map<string, string[]>();
  for (const { name: entity, actions } of entities) {
    for (const { name, params, hosted_only, paginated } of actions) {
      const size = paginated && !hosted_only ? pageSizeOf(params, {}) : undefined;
      if (!size) continue;
      const kind = `\`${size.name}\`${size.maximum === undefined ? '' : `, at most ${size.maximum}`}`;
      bySize.set(kind, [...(bySize.get(kind) ?? []), `${entity}.${name}`]);
    }
  }
  const sizes = [...bySize].map(([kind, names]) => `- ${kind}: ${names.join(', ')}`).join('\n');
  return ['# limits', guide, ...(sizes ? [`Page size, by parameter:\n${sizes}`] : [])].filter(Boolean).join('\n\n');
}
