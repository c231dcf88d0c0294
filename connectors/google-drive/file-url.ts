import type { UrlId } from '../../src/authoring.js';

const isGoogle = (host: string): boolean =>
  /(?:^|\.)(?:google\.com|googleapis\.com|googleusercontent\.com)$/.test(host);

/**
 * The id of a file, folder or shared drive in a URL of Drive, Docs, Sheets, Slides, Forms, Drawings, Vids, Apps Script,
 * Colab or the API. Unless `hasKey`, a resource key is ignored.
 *
 * Sources: developers.google.com/workspace/drive/api/guides/resource-keys (/file/d/ID/view?resourcekey=KEY),
 * developers.google.com/workspace/docs/api/concepts/document and
 * developers.google.com/workspace/sheets/api/guides/concepts (/document/d/ID/edit, /spreadsheets/d/ID/edit#gid=0),
 * support.google.com/a/answer/7374057 (/drive/folders/ID of a shared drive).
 */
export function fileIdIn(url: URL, hasKey: boolean): UrlId {
  const { hostname, pathname, hash, searchParams } = url;
  if (!isGoogle(hostname)) return { problem: 'is a URL of another site' };
  // Google's mail and calendar wrap links.
  const wrapped = pathname === '/url' ? (searchParams.get('q') ?? searchParams.get('url')) : null;
  if (wrapped !== null) return URL.canParse(wrapped) ? fileIdIn(new URL(wrapped), hasKey) : undefined;
  // Such ids belong to the published copy of a document, or to the public view of a form.
  if (/\/d\/e\//.test(pathname)) {
    return { problem: "is the URL of a published document, which does not contain the file's id" };
  }
  if (/\/my-drive\/?$/.test(pathname)) return 'root';
  const fileId =
    /\/(?:d|folders|files|projects)\/([\w-]+)/.exec(pathname)?.[1] ??
    /^\/drive\/([\w-]{20,})$/.exec(pathname)?.[1] ??
    /^#folders\/([\w-]+)/.exec(hash)?.[1] ??
    ['id', 'srcid', 'key'].map((name) => searchParams.get(name)).find(Boolean);
  if (!fileId || !/^[\w-]+$/.test(fileId)) return undefined;
  const resourceKey = searchParams.get('resourcekey');
  if (!hasKey || !resourceKey) return fileId;
  return { problem: `is a URL with a resource key (fileId '${fileId}', resourceKey '${resourceKey}')` };
}
