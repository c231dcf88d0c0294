import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { anchorsOf, linksOf, markdownFiles, pages, pathsIn, root, textOf, withoutBlocks } from './pages.js';

test.each(markdownFiles)('%s links to existing files and headings', (page) => {
  const broken = linksOf(page).filter(
    ({ to, anchor }) =>
      !existsSync(join(root, to)) || (anchor !== undefined && to.endsWith('.md') && !anchorsOf(textOf(to)).has(anchor)),
  );
  expect(broken).toEqual([]);
});

/** A line that begins a quote, a heading or a list where the sentence above it has only been wrapped. */
function wrongBreaks(text: string): string[] {
  const lines = withoutBlocks(text).split('\n');
  return lines.filter((line, at) => {
    const above = lines[at - 1] ?? '';
    if (/^ *>/.test(line)) return /^ *[^>\s]/.test(above);
    // Lines of a list item are indented, a colon introduces a list, and a rule ends the frontmatter.
    return /^(?:#{1,6}|[-*+]|1[.)]) /.test(line) && /^(?!#{1,6} |[-*+] |\d+[.)] |---)[^\s|<].*[^:]$/.test(above);
  });
}

test.each(pages)('%s has no wrapped line that begins with the mark of a quote, heading or list', (page) => {
  expect(wrongBreaks(textOf(page))).toEqual([]);
});

/** Files made by the build or by the documentation script. */
const generated = /^(docs\/(site|reference)|service\/dist)\b/;

test.each(pages)('%s names existing files in the repository', (page) => {
  expect(pathsIn(page).filter((path) => !generated.test(path) && !existsSync(join(root, path)))).toEqual([]);
});

test('every guide and decision is reachable from the README', () => {
  const reached = new Set(['README.md']);
  for (const page of reached) {
    for (const { to } of linksOf(page)) if (pages.includes(to)) reached.add(to);
  }
  expect(pages.filter((page) => /^docs\/(guides|decisions)\//.test(page) && !reached.has(page))).toEqual([]);
});

test("every guide is in the README and in the site's navigation", () => {
  const navigation: string[] = JSON.parse(textOf('typedoc.json')).projectDocuments;
  const guides = pages.filter((page) => page.startsWith('docs/guides/'));
  const named = linksOf('README.md').map(({ to }) => to);
  expect(guides.filter((page) => !named.includes(page) || !navigation.includes(page))).toEqual([]);
});

test('the documentation says that vendor events are not forwarded', () => {
  expect(textOf('README.md')).toContain('Vendor events are not forwarded.');
  expect(textOf('docs/guides/following-changes.md')).toContain(
    '**Neither the library nor the service forwards vendor events**',
  );
});
