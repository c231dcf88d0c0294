import { posix } from 'node:path';

/** Folders of the packages that are published, the library first: the service asks for it. */
export const packages = ['.', 'sandbox', 'service', 'embedder'];

/** Stands in package.json for the owner of the repository. */
export const placeholder = 'OWNER/';

/** A README whose relative links lead to the repository, at the tag of the package's version. */
export function absoluteLinks(markdown, folder, { version, repository }) {
  const base = repository.url.replace(/^git\+|\.git$/g, '');
  return markdown.replace(/(?<=\]\()(?![a-z]+:|#)([^)#\s]+)/g, (path) => {
    const target = posix.join(folder, path);
    return `${base}/${/\.\w+$/.test(target) ? 'blob' : 'tree'}/v${version}/${target}`;
  });
}
