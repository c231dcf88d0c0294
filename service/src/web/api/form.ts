import { requireUncompressed } from './input.js';

const maxBytes = 64 * 1024;
const maxFields = 1000;

/** Media type of forms. */
const formType = 'application/x-www-form-urlencoded';

/** Explanations for programs; setup pages have their own, in the user's language. */
const messages = {
  notOurForm: `The body must be a form, with Content-Type: ${formType}.`,
  tooManyFields: `The form has more than ${maxFields} fields.`,
  tooLarge: `The form exceeds ${maxBytes} bytes.`,
  incomplete: 'Request body was truncated.',
};

/** A rejected form, with status and explanation. */
export class FormError extends Error {
  override readonly name = 'FormRefusal';
  readonly status: number;
  /** Key of the explanation in a page's texts. */
  readonly text: keyof typeof messages;

  constructor(status: number, text: FormError['text']) {
    super(messages[text]);
    this.status = status;
    this.text = text;
  }
}

/** Whether a request declares its body as a form. */
export const isForm = ({ headers }: Request): boolean =>
  /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers.get('content-type') ?? '');

/** Reads a form up to a size limit. `reserve` is called before bytes are buffered, and can throw to reject them. */
export async function readForm(request: Request, reserve: (bytes: number) => void): Promise<URLSearchParams> {
  if (!isForm(request)) throw new FormError(415, 'notOurForm');
  requireUncompressed(request);
  const form = new URLSearchParams(await readText(request, reserve));
  if (form.size > maxFields) throw new FormError(413, 'tooManyFields');
  return form;
}

async function readText(request: Request, reserve: (bytes: number) => void): Promise<string> {
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
  return Buffer.concat(chunks).toString('utf8');
}
