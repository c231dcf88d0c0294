import { declaredFormat, formatOf } from './detect.js';
import { type FileFormat, formats } from './formats.js';
import { formatInside } from './inside.js';
import { normalizeText } from './normalize.js';

/** A file as downloaded. */
export interface File {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly name: string;
}

/** Extracts the text of a file; null if its format is not read. Errors say what is wrong with the file. */
export async function extractText({ bytes, mimeType, name }: File): Promise<string | null> {
  let format = formatOf(bytes, mimeType, name);
  if (format === 'zip' || format === 'compound') {
    format = await formatInside(bytes, format, declaredFormat(mimeType, name));
  }
  const { title, read }: Partial<FileFormat> = format ? formats[format] : {};
  if (!read) return null;
  try {
    return normalizeText(await (await read())(bytes));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot be read as ${title}: ${reason.slice(0, 300)}`, { cause: error });
  }
}
