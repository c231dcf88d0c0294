// #region once
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sent } from 'agent-connectors';
import { LinearConnector } from 'agent-connectors/linear';

const linear = new LinearConnector({ credentials: { api_key: process.env.LINEAR_API_KEY! } });
const { data: teams } = await linear.teams.list({ first: 1 });
const teamId = teams[0]!.id;

const file = join(tmpdir(), 'sign-in-issue.json');
const sent: Sent | undefined = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;

const { data } = await linear.issues.create(
  { teamId, title: 'Sign-in fails on Safari' },
  {
    once: {
      sent, // recorded by an earlier run: looked up before anything is sent
      sending: (noted: Sent) => writeFileSync(file, JSON.stringify(noted)), // called before anything is sent
    },
  },
);
// #endregion
console.log(data.issue.id);
