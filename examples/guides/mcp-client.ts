// #region transport
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

export const transportFor = (freshToken: () => Promise<string>) =>
  new StreamableHTTPClientTransport(new URL('https://connectors.example.com/mcp'), {
    authProvider: { token: freshToken },
    requestInit: { headers: { 'x-workspace': 'sales' } },
  });
// #endregion
