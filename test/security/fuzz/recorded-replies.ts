import type { ParitySubject } from '../../parity/subject.js';
import { subjects } from '../../parity/subjects/index.js';

/** A vendor's response. */
export interface RecordedReply {
  readonly status: number;
  readonly headers: ReadonlyArray<readonly [string, string]>;
  readonly text: string;
}

/** One action with valid parameters, and the vendor's responses to its requests in order. */
export interface RecordedCall {
  readonly subject: ParitySubject;
  readonly entity: string;
  readonly action: string;
  readonly params: object;
  readonly credentials: Readonly<Record<string, string>>;
  readonly binary: boolean;
  readonly replies: readonly RecordedReply[];
}

/** Every action of every connector that sends requests to a vendor, with the sandbox's responses. */
export async function recordAll(): Promise<RecordedCall[]> {
  const recorded: RecordedCall[] = [];
  for (const [, subject] of subjects) {
    for (const { name: entity, actions } of subject.Connector.describe().entities) {
      for (const { name: action, hosted_only, binary } of actions) {
        if (!hosted_only) recorded.push(await recordOne(subject, entity, action, binary));
      }
    }
  }
  return recorded;
}

async function recordOne(
  subject: ParitySubject,
  entity: string,
  action: string,
  binary: boolean,
): Promise<RecordedCall> {
  const sandbox = subject.sandbox();
  const credentials = subject.credentials(sandbox);
  const params = await subject.params[`${entity}.${action}`]!(
    new subject.Connector({ credentials, fetch: sandbox.fetch }),
  );
  const replies: RecordedReply[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await sandbox.fetch(input, init);
    const text = await response.clone().text();
    replies.push({ status: response.status, headers: [...response.headers], text });
    return response;
  };
  const { data } = await new subject.Connector({ credentials, fetch }).execute(entity, action, params);
  if (binary) await new Response(data).arrayBuffer();
  return { subject, entity, action, params, credentials, binary, replies };
}
