// Runs in a browser: calls over the sandbox, whose handlers run in the page.
import { LinearConnector } from 'agent-connectors/linear';
import { createSandbox } from 'agent-connectors-sandbox';
import { handlers, respondOnce } from 'agent-connectors-sandbox/msw';
import { HttpResponse } from 'msw';
import { setupWorker } from 'msw/browser';

globalThis.results = async () => {
  const sandbox = createSandbox();
  const worker = setupWorker(...handlers(sandbox));
  await worker.start({ quiet: true });
  const credentials = sandbox.vendors.linear.credentials.api_key;
  const linear = new LinearConnector({ credentials });
  const codeOf = (call) =>
    call.then(
      () => 'ok',
      ({ code }) => code,
    );

  const teams = (await linear.teams.list()).data.length;
  sandbox.faults.add({ kind: '503', rootField: 'teams' });
  await linear.teams.list();
  const statuses = sandbox.requests.map(({ status }) => status);

  const once = new LinearConnector({ credentials, retries: 0, timeoutMs: 2000 });
  const codes = {};
  for (const kind of ['reset_before', 'truncated_body', 'slow_body', 'rate_limited']) {
    sandbox.faults.add({ kind, ms: 600_000 });
    codes[kind] = await codeOf(once.teams.list());
  }

  const empty = { data: { teams: { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } } } };
  worker.use(respondOnce(sandbox, { vendor: 'linear', rootField: 'teams' }, () => HttpResponse.json(empty)));
  const overridden = [(await linear.teams.list()).data.length, (await linear.teams.list()).data.length === teams];

  const xhr = await new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open('GET', 'https://public-api.granola.ai/v1/folders');
    request.setRequestHeader('authorization', `Bearer ${sandbox.vendors.granola.credentials.api_key.api_key}`);
    request.onloadend = () => resolve(request.status);
    request.send();
  });
  return { teams: teams > 0, statuses, codes, overridden, xhr };
};
