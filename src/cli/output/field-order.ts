/** Fields in reading order: title, state, people, dates. The first matching pattern wins. */
const groups: readonly RegExp[] = [
  /^(identifier|title|name|display_?name|full_?name|subject|topic|key|entity|entity_?name)$/i,
  /^(state|status|outcome|ok|ready|ready_for_search|current|type|mime_?type|connector_type|event|priority)$/i,
  /(^|_)(assignee|creator|owners?|author|user|person|people|attendees|parties|participants|host|lead|emails?(_?address)?|sender|requested_by_name)$/i,
  /(At|_at|[dD]ate|Time|_time|[sS]tarted|[sS]cheduled|_on)$/,
];

const rankOf = (name: string): number => {
  const found = groups.findIndex((group) => group.test(name));
  return found === -1 ? groups.length : found;
};

/** Field names in reading order; `first` comes before all others. */
export function inReadingOrder(names: readonly string[], first: readonly string[] = []): string[] {
  const known = first.filter((name) => names.includes(name));
  const rest = names.filter((name) => !known.includes(name));
  return [...known, ...rest.sort((a, b) => rankOf(a) - rankOf(b))];
}

/** Fields that say what is wrong with a record, and what to do. */
const faultNames = /^(errors?|error_message|disabled_reason|missing|failures|unread|withheld|warnings?|detail|hint)$/;

/** Whether a field says what is wrong, so that a table must not hide or truncate it. */
export const isFault = (name: string): boolean => faultNames.test(name);

/** Fields that name a record. */
export const labels = ['title', 'name', 'displayName', 'display_name', 'emailAddress', 'email', 'identifier', 'key'];

/** An object's title, from its own fields. */
export function labelOf(value: object): string | undefined {
  const label = labels.map((key) => (value as Record<string, unknown>)[key]).find((text) => typeof text === 'string');
  return label as string | undefined;
}
