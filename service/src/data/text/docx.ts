import { unzipParts, zipParts } from './archive.js';
import { htmlText } from './html.js';

/** The words of a Word document, with its headings. */
export async function docxText(bytes: Uint8Array): Promise<string> {
  // Handed on without pictures, and unpacked: mammoth itself would unpack whatever there is.
  const parts = await unzipParts(bytes, (path) => /\.(?:xml|rels)$/i.test(path));
  const buffer = Buffer.from(await zipParts(parts));
  const { default: mammoth } = await import('mammoth');
  const convertImage = mammoth.images.imgElement(async () => ({ src: '' }));
  const { value } = await mammoth.convertToHtml({ buffer }, { convertImage, includeEmbeddedStyleMap: false });
  return htmlText(value);
}
