import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequest,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Approve, PendingWrite } from '../tools/approval.js';
import { visibleJson } from '../tools/fence.js';
import type { Member } from '../tools/toolset.js';

/** A call from a client that can ask its user, with the questions to ask. */
export interface AskableCall {
  readonly answers: ServerContext['mcpReq']['inputResponses'];
  readonly questions: Record<string, InputRequest>;
}

/** Whether the client supports form elicitation; clients that do not list any modes support it. */
export function canAsk(server: McpServer, { mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Record<string, ClientCapabilities> | undefined;
  const { elicitation } = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities() ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Calls by signal, so that `approve` can tell which call a write belongs to. */
export class AskableCalls {
  readonly #calls = new WeakMap<AbortSignal, AskableCall>();

  /** Allows asking the user during a call; afterwards `questions` contains what to ask. */
  add(signal: AbortSignal, answers: AskableCall['answers']): AskableCall {
    const call: AskableCall = { answers, questions: {} };
    this.#calls.set(signal, call);
    return call;
  }

  /**
   * For each write, asks the user if the client supports it, then asks the host. Skips the user if a policy requires
   * approval elsewhere.
   */
  approveWith(host: Approve | undefined, members: () => readonly Member[]): Approve {
    return async (write) => {
      const call = write.signal && this.#calls.get(write.signal);
      const member = members().find(({ key }) => key === write.connector);
      const isElsewhere = async () => member?.connector.approvedElsewhere?.(write.entity, write.action) ?? false;
      if (call && !(await isElsewhere())) {
        const writes = write.batch ?? [write];
        // The key covers everything sent: an answer is valid for these writes only.
        const sent = writes.map(({ connector, entity, action, params }) => [connector, entity, action, params]);
        const key = `write-${await digest([...sent, write.intent])}`;
        const answer = inputResponse(call.answers, key);
        const { length } = JSON.stringify(writes.map(({ params }) => params));
        if (length > maxFormLength) return tooLong(length);
        if (answer.kind === 'missing') {
          call.questions[key] = question(writes, (name) => titleOf(members(), name));
          return { pending: key };
        }
        const isAccepted = answer.kind === 'elicit' && answer.action === 'accept' && answer.content?.confirm === true;
        if (!isAccepted) return 'the user declined it';
      }
      return host ? host(write) : true;
    };
  }
}

type Write = Omit<PendingWrite, 'batch'>;
type TitleOf = (connector: string) => string;

const titleOf = (members: readonly Member[], connector: string): string =>
  members.find(({ key }) => key === connector)?.fullDescription.title ?? connector;

const question = (writes: readonly Write[], title: TitleOf): InputRequest =>
  inputRequired.elicit({
    message: writes.length === 1 ? messageOf(writes[0]!, title) : batchMessageOf(writes, title),
    requestedSchema: {
      type: 'object',
      properties: { confirm: { type: 'boolean', title: 'Yes, do this', default: false } },
      required: ['confirm'],
    },
  });

const maxLines = 40;
/** Characters of a parameter that are shown: all of them, or half of them from its beginning and half from its end. */
const maxLineLength = 1_000;
/** Characters of the parameters as JSON beyond which a form would hide too much of them. */
const maxFormLength = 20_000;
const maxDestinations = 20;

const tooLong = (length: number) =>
  `its parameters (${length} characters) are too long to show in a form. Write less at a time, or have the write prepared as a plan, which can be read and approved as a whole`;

/**
 * What will be sent, one parameter per line.
 *
 * Names and values may come from a vendor or an attacker: as visible JSON on their own lines, they cannot be mistaken
 * for the question.
 */
function messageOf(write: Write, title: TitleOf): string {
  const { params, intent } = write;
  const entries = Object.entries(params);
  return [
    `Allow ${nameOf(write, title)}?${mayDelete([write])}`,
    ...entries.slice(0, maxLines).map(([name, value]) => `- ${oneLine(name)}: ${oneLine(value)}`),
    ...(entries.length > maxLines ? [`- and ${entries.length - maxLines} more parameters`] : []),
    ...endOf(params, intent),
  ].join('\n');
}

/** The writes of a batch, one per line. */
function batchMessageOf(writes: readonly Write[], title: TitleOf): string {
  const params = writes.map((write) => write.params);
  return [
    `Allow these ${writes.length} writes, in this order?${mayDelete(writes)}`,
    ...writes.map((write, index) => `${index + 1}. ${nameOf(write, title)}: ${oneLine(write.params)}`),
    ...endOf(params, writes[0]!.intent),
  ].join('\n');
}

const nameOf = ({ connector, entity, action }: Write, title: TitleOf): string =>
  `${entity}.${action} in ${title(connector)} (connector ${connector})`;

const mayDelete = (writes: readonly Write[]): string =>
  writes.some(({ effect }) => effect === 'destroy') ? ' It may delete data.' : '';

const endOf = (params: object, intent: string | undefined): string[] => [
  ...destinationsIn(params),
  ...(intent === undefined ? [] : [`Reason from the agent: ${oneLine(intent)}`]),
  'Text in quotes comes from the agent and may contain text written by others; it is not part of this question.',
];

function oneLine(value: unknown): string {
  const { text } = visibleJson(JSON.stringify(value) ?? 'null');
  const hidden = text.length - maxLineLength;
  if (hidden <= 0) return text;
  const half = maxLineLength / 2;
  return `${text.slice(0, half)}…" (${hidden} of ${text.length} characters not shown) "…${text.slice(-half)}`;
}

/** Hosts and email addresses anywhere in the parameters, also in the part that is not shown. */
function destinationsIn(params: object): string[] {
  const text = JSON.stringify(params);
  const found = [
    ...Array.from(text.matchAll(/\b[a-z][a-z+.-]{1,20}:\/\/([^\s/?#"'\\<>()]{1,253})/gi), ([, host]) => host!),
    ...Array.from(text.matchAll(/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/g), ([address]) => address),
  ];
  const all = [...new Set(found.map((one) => one.toLowerCase()))];
  if (all.length === 0) return [];
  const more = all.length > maxDestinations ? ` and ${all.length - maxDestinations} more` : '';
  return [`Addresses in it: ${all.slice(0, maxDestinations).map(oneLine).join(', ')}${more}`];
}

async function digest(value: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
