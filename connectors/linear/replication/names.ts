import type { Replica } from '../../../src/authoring.js';

/** Names of the users that a record speaks of, by enrichment; each has its id in the field beside it, such as `creatorId`. */
export const namesOf =
  (people: Readonly<Record<string, string>>): NonNullable<Replica['enrich']> =>
  async (passages, look) => {
    const fields = Object.values(people);
    const ids = new Set(passages.flatMap(({ record }) => fields.map((field) => record[`${field}Id`])));
    const users = await look(
      'users',
      [...ids].filter((id) => typeof id === 'string'),
    );
    return passages.map(({ record }) =>
      Object.fromEntries(
        Object.entries(people).map(([name, field]) => [
          name,
          // Users who have left are not listed; the record still has their names.
          nameOf(users.get(String(record[`${field}Id`]))) ?? nameOf(record[field]),
        ]),
      ),
    );
  };

function nameOf(user: unknown): string | null {
  const { name } = (user ?? {}) as { name?: unknown };
  return typeof name === 'string' ? name : null;
}
