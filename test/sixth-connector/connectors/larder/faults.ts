import { codeOfStatus, type Fault, type HttpReply } from '../../src/authoring.js';

/** Parses an error response: `{ problem }`, besides the status. */
export function fault({ status, body }: HttpReply): Fault | undefined {
  if (status < 400 || typeof body !== 'object' || body === null) return undefined;
  const problem = String((body as { problem?: unknown }).problem ?? `status ${status}`);
  return { code: codeOfStatus(status), message: `Larder: ${problem}.`, vendor: { message: problem } };
}
