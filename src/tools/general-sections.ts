import type { ErrorCode } from '../call/errors.js';
import type { ConnectorDescription, EntityDescription } from '../manifest/describe.js';
import { sectionBytes } from './action-section.js';
import { pageSizeOf } from './page-size.js';
import { firstThatFits } from './tokens.js';

/** Ways to authorise, with what the guide says of them. */
export function authSection({ auth }: ConnectorDescription, guide: string): string {
  const modes = (explained: boolean) =>
    auth
      .map(({ mode, description, fields }) => {
        const names = fields.map(({ name, required, description: text }) =>
          explained ? `  - ${name}${required ? '' : ' (optional)'}: ${text}` : `${name}${required ? '' : '?'}`,
        );
        return explained ? `- ${mode}: ${description}\n${names.join('\n')}` : `- ${mode}: {${names.join(', ')}}`;
      })
      .join('\n');
  const write = (explained: boolean) =>
    ['# auth', 'Whoever runs this program sets the credentials; a call never takes any.', guide, modes(explained)]
      .filter(Boolean)
      .join('\n\n');
  return firstThatFits(sectionBytes, [() => write(true), () => write(false)]);
}

const searchableEntities = ({ entities }: ConnectorDescription): EntityDescription[] =>
  entities.filter(({ actions }) => actions.some(({ hosted_only }) => hosted_only));

/** How the replica is searched. */
export function searchSection(description: ConnectorDescription, guide: string): string {
  const entities = searchableEntities(description);
  if (entities.length === 0) return '# search\n\nNothing here can be searched; list and get read from the vendor.';
  const found = entities.map(({ name, search }) => {
    const fields = Object.keys(search?.semantic ?? {});
    return fields.length > 0 ? `${name} (by meaning: its ${fields.join(' and ')})` : name;
  });
  return [
    '# search',
    `\`context_store_search\` asks the replica that a service keeps, not ${description.title}; without a service it answers hosted_only, and list and get must do. It may lag behind. What can be searched: ${found.join(', ')}.`,
    '- By conditions: {"query": {"filter": {"fuzzy": {"<field>": "words"}}, "sort": [{"<field>": "desc"}]}, "limit": 25}. {"query": {}} is every record.',
    '- Operators: eq, neq, gt, gte, lt, lte compare; in takes a list; like matches the whole value with % and _; fuzzy takes words in order and forgives misspellings; keyword takes any of the words; startswith, endswith and contains find parts of a text; contains, array_contains and any look into arrays, and match an object element by the parts that are named: {"contains": {"<array>": {"<name>": "text"}}}. Several in one object must all hold; and, or take arrays of filters, not takes one. null matches eq: null alone.',
    '- Prefer fuzzy to like. Dates are as the field has them, or relative: now-7d, now/d. Dotted paths reach into objects. fields keeps the result small.',
    '- Counts and sums in one call: {"query": {"groupBy": "<field>", "aggregates": {"<name>": {"avg": "<field>"}}}}, with avg, min, max or sum; {"query": {"count": true}} counts all. A filter narrows them.',
    '- Next page: the same call with cursor from meta.cursor. A search by meaning has no pages.',
    '- By meaning: {"semantic": {"prompt": "what to look for"}, "limit": 10}, with field where several can be searched, filter to narrow, context_size for more text around a hit than 300 characters. query and semantic exclude each other.',
    "- To find an id: search or list the entity, then use the record's id.",
    guide,
  ]
    .filter(Boolean)
    .join('\n\n')
    .replaceAll('\n\n- ', '\n- ');
}

const adviceByCode: Readonly<Record<ErrorCode, string>> = {
  invalid_params: 'nothing was sent: fix every issue that is listed, by the parameter table',
  unknown_entity: 'use a name that the error lists',
  unknown_action: 'use a name that the error lists',
  hosted_only: 'needs a service; use list and get',
  invalid_credentials: 'the person who runs this must fix the credentials',
  unauthorized: 'the credentials were refused; the same',
  scope_missing: 'the credentials lack a scope, which is named; the same',
  forbidden: 'not allowed to these credentials; leave it',
  not_found: 'wrong id, or not visible; find the id by list or search',
  conflict: 'changed meanwhile; read it again',
  rate_limited: 'wait as long as it says, then repeat',
  quota_exhausted: 'used up for hours; ask for less, or stop',
  not_exportable: 'use the other action that it names',
  not_downloadable: 'use the other action that it names',
  too_large: 'ask for less',
  vendor_error: "the vendor's own fault; once again is enough",
  invalid_response: 'the vendor sent something unreadable; leave it',
  network: 'repeat once',
  timeout: 'repeat with less',
  aborted: 'somebody ended the call',
  denied_by_policy: 'not allowed here: say so and stop',
  unknown_outcome: 'a write may have happened: say so and stop; look before it is repeated',
};

/** What each code of a failure asks for. */
export const errorsSection = (guide: string): string =>
  [
    '# errors',
    'A failure is text: code, message, issues, hint, then parameters and an example of the action. If a write is denied by policy or its outcome is unknown, say so and stop. invalid_params means nothing was sent: fix the call and send it again.',
    Object.entries(adviceByCode)
      .map(([code, advice]) => `- ${code}: ${advice}.`)
      .join('\n'),
    guide,
  ]
    .filter(Boolean)
    .join('\n\n');

/** How much may be asked, and how large pages are. */
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
  return ['# limits', guide, ...(sizes ? [`Size of a page, by parameter:\n${sizes}`] : [])]
    .filter(Boolean)
    .join('\n\n');
}
