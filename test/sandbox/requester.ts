import type { Sandbox } from 'agent-connectors-sandbox';

/** A GraphQL response that has been read. */
export interface Reply {
  status: number;
  headers: Headers;
  data: any;
  errors: { message: string; path?: unknown[]; extensions: Record<string, any> }[] | undefined;
}

/** Returns a function that sends GraphQL documents to a sandbox with one credential. */
export function createRequester(sandbox: Sandbox, authorization = sandbox.vendors.linear.credentials.api_key.api_key) {
  return async (query: string, variables: Record<string, unknown> = {}): Promise<Reply> => {
    const response = await sandbox.fetch('https://api.linear.app/graphql', {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as Reply;
    return { status: response.status, headers: response.headers, data, errors };
  };
}

/** A fixed time, so that the sandbox returns the same data on every run. */
export const noon = Date.UTC(2026, 4, 4, 12);
