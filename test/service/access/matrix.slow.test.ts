import { describe, expect, test } from 'vitest';
import { execute, type Requester } from '../http/setup.js';
import { hitsOf, searchEntity } from '../replication/setup.js';
import { owner, startBoundDrive } from './setup.js';

const people = [
  { email: 'ana@partner.example', groups: [] },
  { email: 'bo@partner.example', groups: ['staff@fernhill.example'] },
  { email: 'cy@other.example', groups: ['board@fernhill.example'] },
  { email: 'dee@fernhill.example', groups: ['staff@fernhill.example', 'board@fernhill.example'] },
  { email: owner, groups: [] },
] as const;

const fileCount = 200;
const never = '2020-01-01T00:00:00Z';

/** Pseudorandom numbers from 0 to 1 with a fixed seed. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const kinds = [
  ...people.map(({ email }) => ({ type: 'user', emailAddress: email })),
  { type: 'user', emailAddress: 'ANA@Partner.Example' },
  { type: 'user', emailAddress: 'ana+x@partner.example' },
  { type: 'user', emailAddress: 'bo@partner.example', expirationTime: never },
  { type: 'group', emailAddress: 'staff@fernhill.example' },
  { type: 'group', emailAddress: 'board@fernhill.example' },
  { type: 'group', emailAddress: 'cy@other.example.evil' },
  { type: 'domain', domain: 'fernhill.example', allowFileDiscovery: true },
  { type: 'domain', domain: 'Partner.Example', allowFileDiscovery: true },
  { type: 'domain', domain: 'partner.example' },
  { type: 'domain', domain: 'sub.partner.example', allowFileDiscovery: true },
  { type: 'anyone' },
  { type: 'anyone', allowFileDiscovery: true },
] as const;

type Grant = Partial<Record<'type' | 'emailAddress' | 'domain' | 'expirationTime', string>> & {
  readonly allowFileDiscovery?: boolean;
};

/** The expected effect of a grant: whether a user can open the file and find it. */
function allows(grant: Grant, { email, groups }: { readonly email: string; readonly groups: readonly string[] }) {
  if (grant.expirationTime) return 'no';
  const address = grant.emailAddress?.toLowerCase();
  if (grant.type === 'user') return address === email ? 'finds' : 'no';
  if (grant.type === 'group') return groups.includes(address!) ? 'finds' : 'no';
  const matches = grant.type === 'anyone' || email.split('@')[1] === grant.domain?.toLowerCase();
  return matches ? (grant.allowFileDiscovery ? 'finds' : 'opens') : 'no';
}

interface Subject {
  readonly id: string;
  readonly word: string;
  readonly grants: readonly Grant[];
}

const letters = (index: number) => `zeb${String.fromCharCode(97 + (index % 26), 97 + Math.floor(index / 26))}rum`;

/** Ids of all files returned by a filtered search, across pages. */
async function listAll(ask: Requester, connector: string) {
  const found: string[] = [];
  let total: unknown;
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const params = { query: { sort: [{ file_name: 'asc' }] }, fields: ['id'], limit: 37, ...(cursor && { cursor }) };
    const { body } = await searchEntity({ ask }, connector, 'files', params);
    const { data, meta } = body.result;
    found.push(...data.map(({ id }: { id: string }) => id));
    total ??= meta.total;
    cursor = meta.cursor;
  }
  return { found, total };
}

describe('an access matrix of 5 users and 200 files', () => {
  test('no route leaks a file, and searches find every file a user can open', { timeout: 120_000 }, async () => {
    const next = random(30);
    const subjects: Subject[] = [];
    const { acme, as, id } = await startBoundDrive(async ({ file, folder, root, share }) => {
      const inner = await folder('Shared folder', root);
      const handed: Grant = { type: 'user', emailAddress: 'cy@other.example' };
      await share(inner, handed);
      for (let index = 0; index < fileCount; index += 1) {
        const isInner = index % 10 === 0;
        const word = letters(index);
        const made = await file(`Note ${word}.txt`, `The budget of ${word}.`, isInner ? inner : root);
        const grants = kinds.filter(() => next() < 0.09);
        for (const grant of grants) await share(made, grant);
        const own: Grant = { type: 'user', emailAddress: owner };
        subjects.push({ id: made, word, grants: [...grants, own, ...(isInner ? [handed] : [])] });
      }
    });
    for (const { email, groups } of people) {
      const person = { email, groups };
      const { ask } = await as(email, { as_groups: groups });
      const verdicts = new Map(subjects.map((one) => [one.id, one.grants.map((grant) => allows(grant, person))]));
      const finds = subjects.filter((one) => verdicts.get(one.id)!.includes('finds'));
      const opens = subjects.filter((one) => verdicts.get(one.id)!.some((verdict) => verdict !== 'no'));
      const closed = subjects.filter((one) => !opens.includes(one));
      const hidden = subjects.filter((one) => !finds.includes(one));
      const allowed = new Set(finds.map((one) => one.id));

      const { found, total } = await listAll(ask, id);
      expect(found.filter((one) => !allowed.has(one))).toEqual([]);
      expect(new Set(found).size).toBeGreaterThanOrEqual(0.95 * finds.length);
      expect(total).toBe(finds.length);
      const counted = await searchEntity({ ask }, id, 'files', { query: { count: true } });
      expect(hitsOf(counted)).toEqual([{ count: finds.length }]);
      const grouped = await searchEntity({ ask }, id, 'files', { query: { groupBy: ['file_name'] }, limit: 1000 });
      expect(hitsOf(grouped)).toHaveLength(finds.length);

      const params = { semantic: { prompt: 'budget' }, limit: 100 };
      const semantic = await searchEntity({ ask }, id, 'files', params);
      expect(hitsOf(semantic)).toHaveLength(Math.min(100, finds.length));
      expect(hitsOf(semantic).filter(({ entity }) => !allowed.has(entity.id))).toEqual([]);
      expect(semantic.body.result.meta.as_user).toEqual({ email, left_out: fileCount - finds.length });
      const everything = await ask('POST', `/api/v1/workspaces/${acme.workspace}/search`, {
        json: { prompt: 'budget', limit: 50 },
      });
      expect(everything.body.data.filter((hit: any) => !allowed.has(hit.entity.id))).toEqual([]);
      expect(everything.body.data.length + sum(everything.body.data)).toBeGreaterThanOrEqual(
        Math.min(50, finds.length),
      );
      expect(everything.body.meta.as_user).toEqual({ email, left_out: fileCount - finds.length });

      for (const { word } of hidden.slice(0, 12)) {
        const none = await searchEntity({ ask }, id, 'files', { query: { filter: { contains: { content: word } } } });
        expect(none.body.result.data).toEqual([]);
        const near = await searchEntity({ ask }, id, 'files', {
          query: { filter: { eq: { file_name: `note ${word}.txt` } } },
        });
        expect(near.body.result).toMatchObject({ data: [], meta: { total: 0, empty: { of: finds.length } } });
        expect(near.text.replaceAll(`note ${word}`, '')).not.toContain(word);
        const prompted = await searchEntity({ ask }, id, 'files', { semantic: { prompt: word } });
        expect(prompted.text).not.toContain(word);
      }
      const missing = await execute({ ask }, id, 'files', 'get', { fileId: 'no-such-file' });
      expect(missing.status).toBe(404);
      for (const [index, { id: fileId, word }] of closed.filter((_, at) => at % 3 === 0).entries()) {
        const refused = await execute({ ask }, id, 'files', 'get', { fileId });
        expect([refused.status, withoutId(refused.body)]).toEqual([404, withoutId(missing.body)]);
        if (index % 8 > 0) continue;
        for (const [entity, action] of perFile) {
          const { status, text } = await execute({ ask }, id, entity, action, {
            fileId,
            ...more[`${entity}.${action}`],
          });
          expect(status).toBe(404);
          expect(text).not.toContain(word);
        }
      }
      const answers = [];
      const asked = opens.filter((_, at) => at % 3 === 0);
      for (const { id: fileId } of asked) answers.push((await execute({ ask }, id, 'files', 'get', { fileId })).status);
      expect(answers.filter((status) => status === 200).length).toBeGreaterThanOrEqual(0.95 * asked.length);
      const [first] = opens;
      const read = await execute({ ask }, id, 'files', 'download', { fileId: first!.id });
      expect([read.status, read.text]).toEqual([200, `The budget of ${first!.word}.`]);
    }
  });
});

const perFile = [
  ['files', 'download'],
  ['files_export', 'download'],
  ['permissions', 'list'],
  ['permissions', 'get'],
  ['comments', 'list'],
  ['replies', 'list'],
] as const;

const more: Readonly<Record<string, object>> = {
  'files_export.download': { mimeType: 'text/plain' },
  'permissions.get': { permissionId: 'anyoneWithLink' },
  'replies.list': { commentId: 'c' },
};

const sum = (hits: ReadonlyArray<{ readonly duplicates: number }>): number =>
  hits.reduce((all, { duplicates }) => all + duplicates, 0);

const withoutId = ({ request_id: _, ...body }: any) => body;
