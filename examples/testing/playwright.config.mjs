import { defineConfig } from '@playwright/test';

export default defineConfig({
  testMatch: '*.e2e.mjs',
  workers: 1, // all tests use the same sandbox
  use: { baseURL: 'http://127.0.0.1:3000' },
  webServer: [
    { command: 'npx agent-connectors-sandbox --port 4010 --seed 1', url: 'http://127.0.0.1:4010' },
    {
      command: 'node server.mjs',
      url: 'http://127.0.0.1:3000',
      env: { LINEAR_API_KEY: 'lin_api_sandbox_full_access', SANDBOX_URL: 'http://127.0.0.1:4010/linear' },
    },
  ],
});
