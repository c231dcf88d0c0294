import { codeOfStatus, type Fault, type HttpReply } from '../../src/authoring.js';

/** Reads a failure out of the reply: `{ problem }` beside the status. */
export function fault({ status, body }: HttpReply): Fault | undefined {
  if (status < 400 || typeof body !== 'object' || body === null) return undefined;
  const problem = String((body as { problem?: unknown }).problem ?? `status ${status}`);
  return { code: codeOfStatus(status), message: `Larder: ${problem}.`, vendor: { message: problem } };
}
