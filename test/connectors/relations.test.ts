import { connectors } from 'agent-connectors';
import { describe, expect, test } from 'vitest';

/** Ids of records that no entity has, such as labels, and a record's own ids. */
const unrelated: Readonly<Record<string, RegExp>> = {
  'google-analytics': /^property_id$/,
  // `author.permissionId` and the like identify people, whose permissions on other files are different records.
  'google-drive': /(^|\.)permissionId$|^(themeId|orgUnitId)$/,
  gong: /^(clientUniqueId|calendarEventId|trackerId|scorecardId|answeredScorecardId|workspaceId)$|^questions\.|(Revision|Event|object|Unique|speaker)Ids?$/i,
  granola: /^(folder_id|note_id)$/,
  linear: /label|slugId$/i,
};

const isForeignId = (path: readonly string[]): boolean =>
  /(^|_|[a-z])(id|ids|Id|Ids)$/.test(path.at(-1)!) && path.at(-1) !== 'id';

interface Schema {
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Paths of all fields, through arrays; deeper ones are filters and records inside others. */
function* pathsIn(schema: Schema | null, above: readonly string[] = []): Generator<readonly string[]> {
  for (const form of [schema ?? {}, ...(schema?.anyOf ?? []), ...(schema?.oneOf ?? [])]) {
    if (form.items) yield* pathsIn(form.items, above);
    for (const [name, property] of above.length < 3 ? Object.entries(form.properties ?? {}) : []) {
      yield [...above, name];
      yield* pathsIn(property, [...above, name]);
    }
  }
}

describe.each(Object.keys(connectors) as (keyof typeof connectors)[])('%s declares', (name) => {
  test('for each field and parameter with an id which record it identifies', async () => {
    const { entities } = (await connectors[name]()).describe();
    const missing = entities.flatMap(({ name: entity, relations, actions }) => {
      const known = relations.map(({ path }) => path);
      const schemas = actions.flatMap(({ hosted_only, params, data }) => (hosted_only ? [] : [params, data]));
      const ids = schemas.flatMap((schema) => [...pathsIn(schema as Schema)].filter(isForeignId));
      return [...new Set(ids.map((path) => path.join('.')))].flatMap((path) =>
        known.some((relation) => path === relation || path.endsWith(`.${relation}`)) || unrelated[name]!.test(path)
          ? []
          : [`${entity}: ${path}`],
      );
    });
    expect(missing).toEqual([]);
  });
});
