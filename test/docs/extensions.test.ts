import { connectors } from 'agent-connectors';
import { expect, test } from 'vitest';
import { textOf } from './pages.js';

const page = textOf('docs/extensions.md');

/** Rows of the page's tables below a heading: the place and the names, both as written. */
const rowsBelow = (title: string) => {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
  return [...section.matchAll(/^\| (.+?) \| (.+?) \| .+ \|$/gm)].map(([, place, names]) => ({
    place: place!,
    names: [...names!.matchAll(/`([^`:]+)[^`]*`/g)].map(([, name]) => name!),
  }));
};

/** Paths marked as extensions in a schema, without the steps through its arrays, alternatives and search filters. */
function markedIn(schema: unknown, path: string[] = []): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'extension' in schema && schema.extension === true ? [path.join('.')] : [];
  return own.concat(
    ...Object.entries(schema).map(([key, part]) => {
      if (key === 'properties')
        return Object.entries(part as object).flatMap(([name, inner]) => markedIn(inner, [...path, name]));
      return markedIn(part, key === 'items' ? [...path.slice(0, -1), `${path.at(-1)}[]`] : path);
    }),
  );
}

const described = await Promise.all(
  Object.values(connectors).map(async (load) => {
    const { title, entities } = (await load()).describe();
    const marks = entities.flatMap(({ name: entity, actions }) =>
      actions.flatMap(({ name, params, data, meta }) => {
        const marked = [...markedIn(params), ...markedIn(data), ...markedIn(meta, ['meta'])];
        // The page's introduction covers the notes.
        return [...new Set(marked)]
          .filter((path) => path !== 'meta.notes')
          .map((path) => ({ entity, action: `${entity}.${name}`, path }));
      }),
    );
    return { title, marks };
  }),
);

const isNamed = (path: string, names: readonly string[]) =>
  names.some((name) => path === name || path.endsWith(`.${name}`));

test.each(described)('docs/extensions.md lists every extension of $title', ({ title, marks }) => {
  const own = rowsBelow(title);
  const ofSearch = rowsBelow('Search');
  expect(marks.length).toBeGreaterThan(10);
  const missing = marks.filter(({ entity, action, path }) => {
    const places = new RegExp(`\`${entity}\`|\`${action.replace('.', '\\.')}\`|^every `);
    const listed = own.some(({ place, names }) => places.test(place) && isNamed(path, names));
    return !listed && !(action.endsWith('.context_store_search') && ofSearch.some(({ names }) => isNamed(path, names)));
  });
  expect([...new Set(missing.map(({ action, path }) => `${action}: ${path}`))]).toEqual([]);
});

test.each(described)('describe() marks every extension of $title that docs/extensions.md lists', ({ title, marks }) => {
  const listed = rowsBelow(title).flatMap(({ place, names }) =>
    /credentials|metadata/.test(place)
      ? []
      : names.filter((name) => name !== 'meta.notes' && !marks.some(({ path }) => isNamed(path, [name]))),
  );
  expect(listed).toEqual([]);
});
