import { readdirSync, readFileSync } from 'node:fs';

/** A call, and an observed vendor response to it. */
export interface RecordedBody {
  /** Name of the file. */
  readonly name: string;
  readonly call: readonly [entity: string, action: string, params: object];
  /** Responses to the call's requests, in order; a string body is sent unchanged. */
  readonly replies: ReadonlyArray<{
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: unknown;
  }>;
  /** Number of records, if the first list in the response is not the list of records. */
  readonly records?: number;
  /** Fields that the recording client did not request. */
  readonly lacks?: readonly string[];
  /** What the call's error matches; if omitted, the call succeeds. */
  readonly error?: Readonly<Record<string, unknown>>;
  /** What the error's hint contains. */
  readonly hint?: string;
}

const folder = new URL('./', import.meta.url);

/** Vendors with recorded responses. */
export const vendors = readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
);

/** Every recorded response from one vendor that belongs to a call; the others are read by their own tests. */
export const recordedBodies = (vendor: string): RecordedBody[] =>
  vendors.includes(vendor) ? recordedFiles(vendor).filter(({ call }) => call !== undefined) : [];

/** Pages that front ends, proxies and load balancers send instead of a vendor's response. */
export const frontEndPages = (): Array<Pick<RecordedBody, 'name'> & RecordedBody['replies'][number]> =>
  recordedFiles('front-ends') as any;

const recordedFiles = (vendor: string): RecordedBody[] =>
  readdirSync(new URL(`${vendor}/`, folder)).map((file) => ({
    name: file.replace('.json', ''),
    ...JSON.parse(readFileSync(new URL(`${vendor}/${file}`, folder), 'utf8')),
  }));

/** A response as returned by `fetch`. */
export const responseOf = ({ status, headers, body }: RecordedBody['replies'][number]): Response =>
  new Response(typeof body === 'string' ? body : JSON.stringify(body), {
    status,
    headers: { 'content-type': typeof body === 'string' ? 'text/html' : 'application/json', ...headers },
  });
