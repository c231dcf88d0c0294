import { LinearConnector } from 'agent-connectors/linear';
import { fakeFetch, json, type SentRequest } from '../engine/fake-fetch.js';

type ReplyHandler = (sent: SentRequest, count: number) => Response | Promise<Response>;

/** The test double's responses. */
export interface ReplyHandlers {
  /** Response to an execution; `count` starts at 1. */
  readonly execute?: ReplyHandler;
  /** Response to a list of connectors. */
  readonly list?: ReplyHandler;
  /** Response to a token request. */
  readonly token?: ReplyHandler;
}

/** The credentials for the double. */
export const client = { clientId: 'cli_1', clientSecret: 'acs_secret-of-the-client' };
export const baseUrl = 'https://service.test';
/** A connector hosted by a service, and the client's credentials. */
export const target = { baseUrl, ...client, connectorId: 'con_1' };

/** The response to a successful action. */
export const successReply = (result: unknown = [], connector_metadata: object = {}) =>
  json({
    status: 'success',
    result,
    connector_metadata,
    execution_metadata: { connector_instance_id: 'con_1', execution_id: 'exe_1', execution_time_ms: 1 },
  });

/** A service's response to a failure. */
export const errorReply = (status: number, code: string, more: object = {}, headers: Record<string, string> = {}) =>
  json(
    {
      message: `It is ${code}.`,
      code,
      errors: [],
      hint: null,
      retryable: false,
      retry_after_ms: null,
      request_id: 'req_1',
      vendor: null,
      docs: 'errors',
      ...more,
    },
    status,
    headers,
  );

/** A page of a list of connectors, each given by its id and name. */
export const connectorListReply = (connectors: Readonly<Record<string, string>>, next: string | null = null) =>
  json({ data: Object.entries(connectors).map(([id, name]) => ({ id, name, connector_type: 'linear' })), next });

/** A service with the test's responses, behind `fetch`. */
export function serviceDouble({
  execute = () => successReply(),
  list = () => connectorListReply({ con_1: 'Linear' }),
  token = (_, count) => json({ access_token: `token-${count}`, token_type: 'bearer', expires_in: 900 }),
}: ReplyHandlers = {}) {
  const requestLog = { tokens: [] as SentRequest[], lists: [] as SentRequest[], executed: [] as SentRequest[] };
  const { fetch, sent } = fakeFetch((one) => {
    const to = (log: SentRequest[], answer: ReplyHandler) => answer(one, log.push(one));
    if (one.url.pathname === '/api/v1/account/applications/token') return to(requestLog.tokens, token);
    if (one.url.pathname.endsWith('/execute')) return to(requestLog.executed, execute);
    return to(requestLog.lists, list);
  });
  return { fetch, sent, ...requestLog };
}

/** A hosted connector on such a service. */
export function hostedLinear(
  { hosted = {}, ...answers }: ReplyHandlers & { hosted?: object } = {},
  options: object = {},
) {
  const double = serviceDouble(answers);
  const linear = new LinearConnector({ hosted: { ...target, ...hosted }, fetch: double.fetch, ...options });
  return { linear, ...double };
}

export const issue = { teamId: 'team', title: 'Once' };
