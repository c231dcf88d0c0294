import { PDFiumModule } from '@hyzyla/pdfium';

/**
 * The functions of PDFium in use, as its headers declare them; pointers and handles are numbers, and 0 means failure.
 * Those that return a text write it to a buffer, in UTF-16, and return its size in bytes, with a terminating zero.
 */
interface Functions {
  readonly HEAPU8: Uint8Array;
  readonly wasmExports: { malloc(size: number): number; free(pointer: number): void };
  _FPDF_InitLibraryWithConfig(config: object): void;
  _FPDF_LoadMemDocument(data: number, size: number, password: number): number;
  _FPDF_GetLastError(): number;
  _FPDF_GetPageCount(document: number): number;
  _FPDF_CloseDocument(document: number): void;
  _FPDFDOC_InitFormFillEnvironment(document: number, callbacks: number): number;
  _FPDFDOC_ExitFormFillEnvironment(form: number): void;
  _FPDF_GetFormType(document: number): number;
  _FPDF_LoadPage(document: number, index: number): number;
  _FPDF_ClosePage(page: number): void;
  _FPDFText_LoadPage(page: number): number;
  _FPDFText_ClosePage(text: number): void;
  _FPDFText_CountChars(text: number): number;
  _FPDFText_GetText(text: number, start: number, count: number, buffer: number): number;
  _FPDFText_GetCharIndexFromTextIndex(text: number, index: number): number;
  _FPDFText_GetCharOrigin(text: number, index: number, x: number, y: number): number;
  _FPDFText_GetFontSize(text: number, index: number): number;
  _FPDFText_GetUnicode(text: number, index: number): number;
  _FPDFText_IsGenerated(text: number, index: number): number;
  _FPDFText_HasUnicodeMapError(text: number, index: number): number;
  _FPDFDoc_GetAttachmentCount(document: number): number;
  _FPDFDoc_GetAttachment(document: number, index: number): number;
  _FPDFAnnot_GetFileAttachment(annotation: number): number;
  _FPDFAttachment_GetName(attachment: number, buffer: number, size: number): number;
  _FPDFAttachment_GetFile(attachment: number, buffer: number, size: number, fileSize: number): number;
  _FPDFPage_CountObjects(page: number): number;
  _FPDFPage_GetObject(page: number, index: number): number;
  _FPDFPageObj_GetType(object: number): number;
  _FPDFPageObj_GetBounds(object: number, left: number, bottom: number, right: number, top: number): number;
  _FPDFPageObj_Transform(object: number, a: number, b: number, c: number, d: number, e: number, f: number): void;
  _FPDFFormObj_CountObjects(form: number): number;
  _FPDFFormObj_GetObject(form: number, index: number): number;
  _FPDFTextObj_GetFont(object: number): number;
  _FPDFFont_GetIsEmbedded(font: number): number;
  _FPDFTextObj_SetTextRenderMode(object: number, mode: number): number;
  _FPDFPage_GetAnnotCount(page: number): number;
  _FPDFPage_GetAnnot(page: number, index: number): number;
  _FPDFPage_CloseAnnot(annotation: number): void;
  _FPDFAnnot_GetSubtype(annotation: number): number;
  _FPDFAnnot_GetFlags(annotation: number): number;
  _FPDFAnnot_GetStringValue(annotation: number, key: number, buffer: number, size: number): number;
  _FPDFAnnot_GetFormFieldType(form: number, annotation: number): number;
  _FPDFAnnot_GetFormFieldFlags(form: number, annotation: number): number;
  _FPDFAnnot_GetFormFieldName(form: number, annotation: number, buffer: number, size: number): number;
  _FPDFAnnot_GetFormFieldAlternateName(form: number, annotation: number, buffer: number, size: number): number;
  _FPDFAnnot_GetFormFieldValue(form: number, annotation: number, buffer: number, size: number): number;
}

/** PDFium, compiled to WebAssembly, in a memory of its own. */
export class Pdfium {
  readonly functions: Functions;

  private constructor(functions: Functions) {
    this.functions = functions;
  }

  static async load(): Promise<Pdfium> {
    // The package's own type lists only the functions that it uses itself.
    const functions = (await PDFiumModule({})) as unknown as Functions;
    functions._FPDF_InitLibraryWithConfig({});
    return new Pdfium(functions);
  }

  get memoryBytes(): number {
    return this.functions.HEAPU8.length;
  }

  /** Calls a function with memory that is freed afterwards. */
  withMemory<Result>(size: number, use: (pointer: number) => Result): Result {
    const pointer = this.functions.wasmExports.malloc(size);
    if (pointer === 0) throw new Error('out of memory');
    try {
      return use(pointer);
    } finally {
      this.functions.wasmExports.free(pointer);
    }
  }

  /** A text that a function writes to a buffer of the given size. */
  text(write: (buffer: number, size: number) => number): string {
    const size = write(0, 0);
    if (size <= 2 || size > maxTextBytes) return '';
    return this.withMemory(size, (buffer) => {
      write(buffer, size);
      return this.utf16(buffer, size - 2);
    });
  }

  utf16(pointer: number, size: number): string {
    return new TextDecoder('utf-16le').decode(this.functions.HEAPU8.subarray(pointer, pointer + size));
  }

  /** The value of a key of an annotation. */
  annotationText(annotation: number, key: string): string {
    return this.withMemory(key.length + 1, (name) => {
      this.functions.HEAPU8.set([...new TextEncoder().encode(key), 0], name);
      return this.text((buffer, size) => this.functions._FPDFAnnot_GetStringValue(annotation, name, buffer, size));
    });
  }
}

const maxTextBytes = 4 * 1024 * 1024;
