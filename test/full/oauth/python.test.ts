import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startOAuthService } from '../../service/oauth/setup.js';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const documentUrl = 'https://app.example/client.json';
const redirectUri = 'http://127.0.0.1:8914/callback';

/** The Python interpreter of an environment with this client version. */
function pythonWith(version: string): string {
  const environment = here(`../../../node_modules/.python-mcp-${version}`);
  const python = `${environment}/bin/python`;
  if (!existsSync(`${environment}/installed`)) {
    execFileSync('python3', ['-m', 'venv', '--clear', environment]);
    execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--only-binary', ':all:', `mcp==${version}`]);
    execFileSync('touch', [`${environment}/installed`]);
  }
  return python;
}

describe.each(['1.30.0', '2.3.0'])('the official Python client %s', (version) => {
  test.each([
    ['registration', ''],
    ['a metadata document', documentUrl],
  ])('signs in with %s, refreshes, and signs in again after access is revoked', async (_, document) => {
    const metadata = { client_id: documentUrl, client_name: 'Python', redirect_uris: [redirectUri] };
    const service = await startOAuthService({ fetch: async () => Response.json(metadata) });
    const args = [here('./sign_in.py'), `${service.url}/mcp`, redirectUri, document];
    const child = spawn(pythonWith(version), args, { stdio: ['pipe', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill());
    let errors = '';
    child.stderr.on('data', (text) => {
      errors += text;
    });
    const person = service.person();
    const said: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const [word = '', ...rest] = line.split(' ');
      said.push(word === 'open' ? word : line);
      if (word === 'open') child.stdin.write(`${(await person.allow(rest[0]!)).href}\n`);
      if (word !== 'refreshed') continue;
      const scope = { organizationId: service.acme.organizationId };
      const [grant] = await service.server.state.grants.list(scope);
      await service.server.state.grants.revoke(scope, grant!.id);
      child.stdin.write('revoked\n');
    }
    expect([said, errors.split('\n').slice(-15)]).toEqual([
      [
        'open',
        expect.stringMatching(document ? /^client https:\/\/app\.example\/client\.json$/ : /^client oap_/),
        expect.stringMatching(/^tools .*execute/),
        'refreshed True',
        'open',
        'ended',
        expect.stringMatching(/^again .*execute/),
      ],
      expect.anything(),
    ]);
  });
});
