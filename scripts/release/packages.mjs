import { posix } from 'node:path';

/** Folders of the published packages, with the library first because others depend on it. */
export const packages = ['.', 'sandbox', 'service', 'react', 'embedder'];

/** Placeholder for the repository's owner in package.json. */
export const placeholder = 'OWNER/';

/** A README with relative links replaced by links to the repository, at the version's tag. */
export function absoluteLinks(markdown, folder, { version, repository }) {
  const base = repository.url.replace(/^git\+|\.git$/g, '');
  return markdown.replace(/(?<=\]\()(?![a-z]+:|#)([^)#\s]+)/g, (path) => {
    const target = posix.join(folder, path);
    return `${base}/${/\.\w+$/.test(target) ? 'blob' : 'tree'}/v${version}/${target}`;
  });
}
