import type { InnerDocuments } from './inner.js';
import type { Pdfium } from './pdfium.js';

/** A file in a PDF; without bytes, it cannot be read. */
export interface PdfAttachment {
  readonly name: string;
  readonly bytes: Uint8Array | undefined;
}

const maxAttachments = 100;
const maxTotalBytes = 50 * 1024 * 1024;

/** The files attached to a PDF and its pages, each once. They outlive the document. */
export class PdfAttachments {
  readonly #pdfium: Pdfium;
  readonly #all = new Map<string, PdfAttachment>();
  #bytes = 0;

  constructor(pdfium: Pdfium) {
    this.#pdfium = pdfium;
  }

  addAllOf(document: number): void {
    const { functions } = this.#pdfium;
    const count = Math.min(functions._FPDFDoc_GetAttachmentCount(document), maxAttachments);
    for (let index = 0; index < count; index += 1) this.add(functions._FPDFDoc_GetAttachment(document, index));
  }

  /** Adds a file by its handle in PDFium. */
  add(attachment: number): void {
    if (attachment === 0 || this.#all.size >= maxAttachments) return;
    const { functions } = this.#pdfium;
    const name = this.#pdfium
      .text((buffer, size) => functions._FPDFAttachment_GetName(attachment, buffer, size))
      .replace(/\s+/g, ' ')
      .trim();
    const bytes = this.#bytesOf(attachment);
    this.#bytes += bytes?.length ?? 0;
    // The files of annotations may be in the document's list, too.
    this.#all.set(`${bytes?.length} ${name}`, { name, bytes });
  }

  #bytesOf(attachment: number): Uint8Array | undefined {
    const { functions } = this.#pdfium;
    return this.#pdfium.withMemory(4, (sizePointer) => {
      const read = (buffer: number, size: number): number | undefined =>
        functions._FPDFAttachment_GetFile(attachment, buffer, size, sizePointer)
          ? new DataView(functions.HEAPU8.buffer, sizePointer).getUint32(0, true)
          : undefined;
      const size = read(0, 0);
      if (size === undefined || size === 0 || this.#bytes + size > maxTotalBytes) return undefined;
      return this.#pdfium.withMemory(size, (buffer) =>
        read(buffer, size) === size ? functions.HEAPU8.slice(buffer, buffer + size) : undefined,
      );
    });
  }

  /** The names of the files, and the texts of those in formats that are read. */
  async textsWith(inner: InnerDocuments): Promise<string[]> {
    const texts: string[] = [];
    const names = [...this.#all.values()].flatMap(({ name }) => (name === '' ? [] : [`- ${name}`]));
    if (names.length > 0) texts.push(['Attachments:', ...names].join('\n'));
    for (const { name, bytes } of this.#all.values()) {
      if (bytes) {
        const text = await inner.textOf(bytes, name);
        if (text !== '') texts.push(`Attachment${name && ` (${name})`}:\n\n${text}`);
      } else inner.miss({ cause: 'damaged', detail: `An attachment${name && ` (${name})`} cannot be read.` });
    }
    return texts;
  }
}
