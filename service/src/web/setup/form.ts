const maxBytes = 64 * 1024;
const maxFields = 1000;

/** A rejected form, with status and explanation. */
export class FormError extends Error {
  override readonly name = 'FormRefusal';
  readonly status: number;
  /** Key of the explanation. */
  readonly text: 'notOurForm' | 'tooManyFields' | 'tooLarge' | 'incomplete';

  constructor(status: number, text: FormError['text']) {
    super(text);
    this.status = status;
    this.text = text;
  }
}

/** The media type of forms. */
export const formType = 'application/x-www-form-urlencoded';

/** Whether a request says that its body is a form. */
export const isForm = ({ headers }: Request): boolean =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers.get('content-type') ?? '');

/** Reads a form of limited size; `reserve` is called before bytes are buffered and may reject them. */
export async function readForm(request: Request, reserve: (bytes: number) => void): Promise<URLSearchParams> {
  const type = request.headers.get('content-type') ?? '';
  const hasFiles = /^multipart\/form-data\s*;/i.test(type);
  if (!isForm(request) && !hasFiles) throw new FormError(415, 'notOurForm');
  const body = await readBody(request, reserve);
  const form = hasFiles ? await readParts(body, type) : new URLSearchParams(body.toString('utf8'));
  if (form.size > maxFields) throw new FormError(413, 'tooManyFields');
  return form;
}

/** The fields of a form with files; a file's value is its text. */
async function readParts(body: Buffer<ArrayBuffer>, type: string): Promise<URLSearchParams> {
  const parts = await new Response(body, { headers: { 'content-type': type } }).formData().catch(() => {
    throw new FormError(400, 'incomplete');
  });
  const form = new URLSearchParams();
  for (const [name, value] of parts) form.append(name, typeof value === 'string' ? value : await value.text());
  return form;
}

async function readBody(request: Request, reserve: (bytes: number) => void): Promise<Buffer<ArrayBuffer>> {
  const tooLarge = () => new FormError(413, 'tooLarge');
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader: ReadableStreamDefaultReader<Uint8Array> | undefined = request.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read().catch(() => {
      throw new FormError(400, 'incomplete');
    });
    if (done) break;
    size += value.byteLength;
    if (size > maxBytes) {
      reader.cancel().catch(() => {});
      throw tooLarge();
    }
    reserve(value.byteLength);
    chunks.push(value);
  }
  return Buffer.concat(chunks);
}
