import { readdirSync, readFileSync } from 'node:fs';

/** A call, and what a vendor has been seen to answer it with. */
export interface RecordedBody {
  /** Name of the file. */
  readonly name: string;
  readonly call: readonly [entity: string, action: string, params: object];
  /** Replies to the requests of the call, in order; a body that is text is sent as it stands. */
  readonly replies: ReadonlyArray<{
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: unknown;
  }>;
  /** How many records come, where the first list of the reply is not that of its records. */
  readonly records?: number;
  /** Fields that the client which recorded it had not asked for. */
  readonly lacks?: readonly string[];
  /** What the error of the call matches; a call without one succeeds. */
  readonly error?: Readonly<Record<string, unknown>>;
  /** What the hint of the error contains. */
  readonly hint?: string;
}

const folder = new URL('./', import.meta.url);

/** Vendors of which replies have been recorded. */
export const vendors = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

/** Every recorded reply of one vendor that is one to a call; replies to no certain call are read by tests of their own. */
export const recordedBodies = (vendor: string): RecordedBody[] =>
  vendors.includes(vendor) ? recordedFiles(vendor).filter(({ call }) => call !== undefined) : [];

const recordedFiles = (vendor: string): RecordedBody[] =>
  readdirSync(new URL(`${vendor}/`, folder)).map((file) => ({
    name: file.replace('.json', ''),
    ...JSON.parse(readFileSync(new URL(`${vendor}/${file}`, folder), 'utf8')),
  }));

/** A reply as `fetch` gives it. */
export const responseOf = ({ status, headers, body }: RecordedBody['replies'][number]): Response =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), {
    status,
    headers: { 'content-type': typeof body === 'string' ? 'text/html' : 'application/json', ...headers },
  });
