import type { Format } from './formats.js';
import { normalizeText } from './normalize.js';
import { decodePage, decodeText } from './plain.js';

const formatNames: Readonly<Record<Exclude<Format, 'plain'>, string>> = {
  html: 'a web page',
  pdf: 'a PDF',
  docx: 'a Word document',
  xlsx: 'an Excel workbook',
  pptx: 'a PowerPoint presentation',
};

/** Extracts the text of a file with a known format; errors say what is wrong with the file. */
export async function extractText(bytes: Uint8Array, format: Format): Promise<string> {
  if (format === 'plain') return normalizeText(decodeText(bytes));
  try {
    return normalizeText(await textIn(bytes, format));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`Cannot be read as ${formatNames[format]}: ${reason.slice(0, 300)}`, { cause: error });
  }
}

async function textIn(bytes: Uint8Array, format: Exclude<Format, 'plain'>): Promise<string> {
  switch (format) {
    case 'html':
      return (await import('./html.js')).htmlText(decodePage(bytes));
    case 'pdf':
      return (await import('./pdf.js')).pdfText(bytes);
    case 'docx':
      return (await import('./docx.js')).docxText(bytes);
    case 'xlsx':
      return (await import('./xlsx.js')).xlsxText(bytes);
    case 'pptx':
      return (await import('./pptx.js')).pptxText(bytes);
  }
}
