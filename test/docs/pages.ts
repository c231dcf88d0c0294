import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository's root folder. */
export const root = fileURLToPath(new URL('../../', import.meta.url));

const inFolder = (folder: string) =>
  readdirSync(join(root, folder)).flatMap((name) => (name.endsWith('.md') ? join(folder, name) : []));

/** Every page meant for readers, as a path from the root. */
export const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'REVIEW.md',
  'SECURITY.md',
  'service/README.md',
  'sandbox/README.md',
  ...['docs', 'docs/guides', 'docs/decisions'].flatMap(inFolder),
  ...readdirSync(join(root, 'connectors')).map((name) => `connectors/${name}/guide.md`),
].filter((page) => existsSync(join(root, page)));

const ignored = ['node_modules', 'dist', 'release', 'coverage', 'site', 'reference', '.git'];

/** Markdown files below a folder, as paths from the root, without those that are generated or installed. */
const below = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return ignored.includes(entry.name) ? [] : below(join(folder, entry.name));
    return entry.name.endsWith('.md') ? join(folder, entry.name) : [];
  });

/** Every Markdown file of the repository, as a path from the root. */
export const markdownFiles = below('');

/** The text of a page. */
export const textOf = (page: string): string => readFileSync(join(root, page), 'utf8');

/** A page without its blocks of code. */
export const withoutBlocks = (text: string): string => text.replace(/^( *)(`{3,})[^\n]*\n.*?^\1\2$/gms, '');

/** A page without its code, which contains no links or headings. */
const prose = (text: string) => withoutBlocks(text).replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ' '));

/** Anchors of a page's headings, as GitHub generates them. */
export function anchorsOf(text: string): Set<string> {
  const seen = new Map<string, number>();
  const headings = [...prose(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => heading!);
  return new Set(
    headings.map((heading) => {
      const slug = heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-');
      const count = seen.get(slug) ?? 0;
      seen.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${count}`;
    }),
  );
}

/** Relative links on a page: the file each points to, and the anchor in that file. */
export function linksOf(page: string): Array<{ readonly to: string; readonly anchor: string | undefined }> {
  const targets = [...prose(textOf(page)).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, target]) => target!);
  return targets.map((target) => {
    const [path, anchor] = target.split('#');
    return { to: path ? normalize(join(dirname(page), path)) : page, anchor };
  });
}

/** Files and folders of the repository that a page names in code, as paths from the root. */
export const pathsIn = (page: string): string[] =>
  [...textOf(page).matchAll(/`((?:bench|connectors|docs|examples|sandbox|scripts|service|src|test)\/[\w./-]+)`/g)].map(
    ([, path]) => path!,
  );
