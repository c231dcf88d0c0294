import { readFileSync } from 'node:fs';
import { createSandbox, type Sandbox } from 'agent-connectors-sandbox';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRequester as driveAsker } from '../google-drive/requester.js';
import { fullNotes, createRequester as granolaAsker } from '../granola/requester.js';
import { createRequester as linearAsker, noon } from '../requester.js';
import { allCalls, allPages, createRequester } from './requester.js';

interface Call {
  id: string;
  title: string | null;
  started: string;
  parties: any[];
  said: string;
}

const document = readFileSync(new URL('../../../docs/company.md', import.meta.url), 'utf8');
const issuesIn = (text: string) => [...new Set(text.match(/\b(?:ENG|MOB|DES|SUP)-\d+\b/g) ?? [])];

/** A sandbox without rate limits. */
function openSandbox(now = noon, seed = 1): Sandbox {
  const sandbox = createSandbox({ seed, now: () => now });
  sandbox.vendors.gong.limits = { requestsPerSecond: 100_000 };
  sandbox.vendors.granola.limits = { requestsPerFiveSeconds: 100_000, requestsPerMinute: 100_000 };
  return sandbox;
}

/** Every call with its transcript. */
async function callsOf(sandbox: Sandbox): Promise<Call[]> {
  const ask = createRequester(sandbox);
  const pages = await allPages(ask, '/v2/calls/transcript');
  const said = new Map(
    pages
      .flatMap((page) => page.callTranscripts)
      .map(({ callId, transcript }) => [
        callId,
        transcript.flatMap(({ sentences }: any) => sentences.map(({ text }: any) => text)).join(' '),
      ]),
  );
  const calls = await allCalls(ask, { exposedFields: { parties: true } });
  return calls.map(({ metaData, parties }) => ({ ...metaData, parties, said: said.get(metaData.id) ?? '' }));
}

const issueQuery = `query($id: String!) { issue(id: $id) {
  identifier title description state { name type } assignee { name } project { name }
} }`;

async function issueOf(sandbox: Sandbox, id: string) {
  const { data, errors } = await linearAsker(sandbox)(issueQuery, { id });
  expect(errors).toBeUndefined();
  return data.issue;
}

async function documentNamed(sandbox: Sandbox, name: string) {
  const q = `name = '${name.replaceAll("'", "\\'")}' and trashed = false`;
  const fields = 'files(id,name,createdTime,owners(displayName,emailAddress),lastModifyingUser(displayName))';
  const { json } = await driveAsker(sandbox)(`/drive/v3/files?${new URLSearchParams({ q, fields })}`);
  return json.files;
}

describe('the company', () => {
  let sandbox: Sandbox;
  let calls: Call[];
  beforeAll(async () => {
    sandbox = openSandbox();
    calls = await callsOf(sandbox);
  });
  const callsWith = (customer: string) => {
    const domain = `@${customer}.example`;
    return calls.filter(({ parties }) => parties.some(({ emailAddress }) => emailAddress?.endsWith(domain)));
  };

  it("has the same people in Gong and Linear, and its customers' employees in the calls", async () => {
    const { users } = (await createRequester(sandbox)('/v2/users')).body;
    const { data } = await linearAsker(sandbox)('{ users(first: 50, includeDisabled: true) { nodes { email name } } }');
    const names = new Map(data.users.nodes.map(({ email, name }: any) => [email, name]));
    for (const { emailAddress, firstName, lastName } of users) {
      expect(names.get(emailAddress)).toBe(`${firstName} ${lastName}`);
    }
    const guests = calls.flatMap(({ parties }) => parties.filter(({ affiliation }) => affiliation === 'External'));
    expect(new Set(guests.map(({ emailAddress }) => emailAddress)).size).toBe(10);
  });

  it('finds the issues raised in calls with Calder & Sons', async () => {
    const ids = issuesIn(
      callsWith('calder-sons')
        .map(({ said }) => said)
        .join(' '),
    );
    expect(ids.toSorted()).toEqual(['ENG-104', 'SUP-41']);
    const issues = await Promise.all(ids.map((id) => issueOf(sandbox, id)));
    for (const { title } of issues) expect(title).toContain('Calder & Sons');
    const open = issues.filter(({ state }) => state.type !== 'completed');
    expect(open.map(({ identifier, assignee }) => [identifier, assignee.name])).toEqual([['ENG-104', 'Samuel Okafor']]);
  });

  it('finds who wrote the design document discussed on Tuesday', async () => {
    const wasTuesday = (text: string) => new Date(text).getUTCDay() === 2 && noon - Date.parse(text) < 8 * 86_400_000;
    const [call, ...others] = calls.filter(({ started, said }) => wasTuesday(started) && /design document/.test(said));
    expect(others).toEqual([]);
    const name = /design document with you, it is called “(.+?)”/.exec(call!.said)![1]!;
    const [file] = await documentNamed(sandbox, name);
    expect(file.owners).toMatchObject([{ displayName: 'Samuel Okafor' }]);
    const note = (await fullNotes(granolaAsker(sandbox)))
      .map(({ body }) => body)
      .find(({ title, created_at }) => title === call!.title && Date.parse(created_at) === Date.parse(call!.started));
    expect(note.summary_text).toContain(name);
    const known = note.attendees.map(({ email }: any) => email);
    expect(call!.parties.map(({ emailAddress }) => emailAddress).toSorted()).toEqual(known.toSorted());
  });

  it('contains, in Gong, Granola, Linear and Drive, every story from the document', async () => {
    const rows = [...document.matchAll(/^\| (?<title>.+ <> Fernhill: .+?) \| (?<issues>.+?) \| (?<file>.+?) \|/gm)];
    expect(rows).toHaveLength(7);
    const notes = (await fullNotes(granolaAsker(sandbox))).map(({ body }) => body);
    for (const { groups } of rows) {
      const { title, issues, file } = groups!;
      const call = calls.find((one) => one.title === title && issuesIn(one.said).length > 0);
      expect(call, title).toBeDefined();
      expect(issuesIn(call!.said).toSorted()).toEqual(issuesIn(issues!).toSorted());
      const note = notes.find((one) => one.title === title && Date.parse(one.created_at) === Date.parse(call!.started));
      expect(issuesIn(note.summary_text).toSorted()).toEqual(issuesIn(issues!).toSorted());
      const issue = await issueOf(sandbox, issuesIn(issues!)[0]!);
      expect(call!.said).toContain(`“${issue.title}”`);
      expect(issue.description.length).toBeGreaterThan(20);
      const [, name, author] = /“(.+)”, (.+)/.exec(file!) ?? [];
      if (name === undefined) continue;
      expect(call!.said).toContain(name);
      const [found] = await documentNamed(sandbox, name);
      expect(found.owners[0].displayName).toBe(author);
      expect(Date.parse(found.createdTime)).toBeLessThan(Date.parse(call!.started));
    }
  });

  it.each([2, 3, 7])('contains every story with a different seed and on a different weekday: %i', async (seed) => {
    const other = openSandbox(noon + seed * 86_400_000, seed);
    const told = (await callsOf(other)).filter(({ said }) => issuesIn(said).length > 0);
    expect(told).toHaveLength(7);
    for (const { said, started } of told) {
      expect([1, 2, 3, 4, 5]).toContain(new Date(started).getUTCDay());
      const issue = await issueOf(other, issuesIn(said)[0]!);
      expect(said).toContain(`“${issue.title}”`);
    }
  });
});
