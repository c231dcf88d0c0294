/** Writes a Markdown file beside each guide of the site, and `llms.txt`, which lists them: https://llmstxt.org. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { PageEvent, Reflection, RendererEvent } from 'typedoc';

/** Entry point for TypeDoc. */
export function load(app) {
  let pages = [];
  app.renderer.on(RendererEvent.BEGIN, () => {
    pages = [];
  });
  app.renderer.on(PageEvent.END, (page) => {
    if (page.model.isDocument?.()) pages.push(page.model);
  });
  app.renderer.on(RendererEvent.END, ({ outputDirectory, project }) => {
    const { router } = app.renderer;
    const write = (path, text) => {
      mkdirSync(dirname(join(outputDirectory, path)), { recursive: true });
      writeFileSync(join(outputDirectory, path), text);
    };
    const groups = new Map();
    for (const document of pages) {
      const path = pathOf(router, document);
      const text = document.content.map((part) => textOf(part, path, project, router)).join('');
      write(path, /^\s*# /.test(text) ? text.trimStart() : `# ${document.name}\n\n${text.trimStart()}`);
      const { group } = document.frontmatter;
      groups.set(group, [...(groups.get(group) ?? []), entryOf(document, path)]);
    }
    write('llms.txt', indexOf(project, groups));
  });
}

/** Path of a page's Markdown file. */
const pathOf = (router, document) => router.getFullUrl(document).replace(/\.html$/, '.md');

/** A part of a page's text, in which links lead to the Markdown file of their target if it has one. */
function textOf({ kind, text, target, targetAnchor }, from, project, router) {
  if (kind !== 'relative-link') return text;
  const resolved = typeof target === 'number' ? project.files.resolve(target, project) : target;
  const medium = typeof target === 'number' ? project.files.getName(target) : undefined;
  if (!(resolved instanceof Reflection) && !medium) return text;
  const url = !(resolved instanceof Reflection)
    ? `media/${medium}`
    : resolved.isDocument()
      ? pathOf(router, resolved)
      : router.getFullUrl(resolved);
  return `${posix.relative(posix.dirname(from), url)}${targetAnchor ? `#${targetAnchor}` : ''}`;
}

/** A line of the index: the page's name, its address, and its first paragraph. */
function entryOf(document, path) {
  const text = document.content.map((part) => part.text).join('');
  const paragraphs = text.replace(/^\s*# .+\n/, '').split('\n\n');
  const opening = paragraphs.map((part) => part.trim()).find((part) => /^[A-Z`*[]/.test(part)) ?? '';
  const plain = opening.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/\s+/g, ' ');
  const [sentence = ''] = /^.+?[.:](?= |$)/.exec(plain) ?? [plain];
  return `- [${document.name}](${path})${sentence ? `: ${sentence.replace(/:$/, '.')}` : ''}`;
}

/** The index, with the decisions and the project's own pages last, as optional. */
function indexOf({ name, readme = [] }, groups) {
  const text = readme.map((part) => part.text).join('');
  const [summary = ''] = text.split('\n\n').filter((part) => /^[A-Z]/.test(part.trim()));
  const sections = [...groups].map(([group, lines]) => {
    return `## ${group === 'Project' ? 'Optional' : group}\n\n${lines.join('\n')}`;
  });
  const rank = (section) =>
    ['## Guides', '## Vendors', '## Reference', '## Optional'].findIndex((title) => section.startsWith(title));
  sections.sort((one, two) => rank(one) - rank(two));
  return `# ${name}\n\n> ${summary.trim().replace(/\s+/g, ' ')}\n\n${sections.join('\n\n')}\n`;
}
