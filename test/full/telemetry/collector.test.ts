import { execFile } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { emptyFolder, install, pack, remove } from '../../package/installed.js';

const program = `
import * as api from '@opentelemetry/api';
import { LinearConnector } from 'agent-connectors/linear';
import { traced } from 'agent-connectors/telemetry';
import { createSandbox } from 'agent-connectors-sandbox';

const { vendors, fetch } = createSandbox({ seed: 7, scale: 0.2 });
const linear = new (traced(LinearConnector, api))({ credentials: vendors.linear.credentials.api_key, fetch });
await linear.issues.list({ first: 1 });
`;

test('telemetry.mjs sends the spans of an installed program to a collector', async () => {
  const received: any[] = [];
  const collector = createServer(async (request, response) => {
    received.push([request.url, await json(request)]);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((listening) => collector.listen(0, '127.0.0.1', listening));
  const [folder, scratch] = [await emptyFolder(), await emptyFolder()];
  onTestFinished(async () => {
    collector.close();
    await remove(folder, scratch);
  });
  const packed = [(await pack('.', scratch)).file, (await pack('sandbox', scratch)).file];
  await install(folder, ...packed, '@opentelemetry/api@1.10.0', '@opentelemetry/sdk-node@0.301.0');
  await cp(resolve('examples/telemetry.mjs'), join(folder, 'telemetry.mjs'));
  await writeFile(join(folder, 'program.mjs'), program);
  const { port } = collector.address() as AddressInfo;
  await promisify(execFile)(process.execPath, ['--import', './telemetry.mjs', 'program.mjs'], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
    },
  });
  const spans = received
    .filter(([path]) => path === '/v1/traces')
    .flatMap(([, body]) => body.resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .filter(({ scope }) => scope.name === 'agent-connectors')
    .flatMap((group) => group.spans);
  const call = spans.find(({ name }) => name === 'issues.list');
  const attempt = spans.find(({ name }) => name === 'POST');
  expect(attempt.parentSpanId).toBe(call.spanId);
  expect(attempt.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 200 } });
});
