import { openSession, type Session, type SessionOptions } from './session.js';

/** One thing that a session is asked for. */
export interface Call {
  readonly number: number;
  readonly name: keyof Session;
  readonly values: readonly unknown[];
}

/** What a session says: records as they come, then a result or why there is none. */
export type Reply =
  | { readonly number: number; readonly records: string }
  | { readonly number: number; readonly result: unknown }
  | { readonly number: number; readonly failure: string };

/** Opens a session and answers calls with it; the call numbered 0 tells whether it opened. */
export function answering(options: SessionOptions, say: (reply: Reply) => void): (call: Call) => void {
  let asked = 0;
  const attempt = (number: number, work: () => unknown): void => {
    asked = number;
    try {
      say({ number, result: work() });
    } catch (error) {
      say({ number, failure: error instanceof Error ? error.message : String(error) });
    }
  };
  let session: Session | undefined;
  attempt(0, () => {
    session = openSession(options, (records) => say({ number: asked, records }));
  });
  return ({ number, name, values }) => {
    attempt(number, () => (session?.[name] as ((...values: readonly unknown[]) => unknown) | undefined)?.(...values));
  };
}
