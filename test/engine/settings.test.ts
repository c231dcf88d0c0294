import { accessToken, action, type Call, connector, entity, get, many, record, type Settings } from 'agent-connectors';
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { failure } from '../failure.js';
import { fakeFetch, json } from './fake-fetch.js';

const Note = record({ id: z.string(), hidden: z.boolean().nullable() });
const credentials = { access_token: 'made-token-0123' };

/** The vendor's records, in pages of two. */
const notes = ['n1', 'n2', 'n3', 'n4', 'n5'].map((id, at) => ({ id, hidden: at === 1 }));

interface Seen {
  readonly calls: Call[];
  readonly reads: Settings[];
  readonly pages: object[];
}

/** A connector with two settings of its own, and the input that its action received. */
function made() {
  const seen: Seen = { calls: [], reads: [], pages: [] };
  const Made = connector({
    name: 'made',
    title: 'Made',
    description: 'Made by a test.',
    version: '1.0.0',
    definitionId: '00000000-0000-4000-8000-000000000005',
    endpoints: { api: 'https://api.made.example' },
    auth: { token: accessToken('A token.') },
    settings: { includeHidden: 'Lists hidden notes too.', newestFirst: 'Turns lists round.' },
    entities: {
      notes: entity({
        description: 'Notes.',
        actions: {
          list: action({
            description: 'List notes.',
            params: z.strictObject({
              offset: z.int().optional(),
              size: z.int().default(2),
              color: z.string().optional(),
            }),
            returns: many(Note, z.object({ total: z.int() })),
            request: ({ offset, size }, call) => {
              seen.calls.push(call);
              return get('/notes', { offset: offset ?? 0, size, hidden: call.settings.includeHidden });
            },
            read: (body, _params, settings) => {
              seen.reads.push(settings);
              return {
                data: settings.newestFirst ? body.notes.toReversed() : body.notes,
                meta: { total: body.total },
              };
            },
            next: ({ total }, page) => {
              seen.pages.push(page);
              const offset = (page.params.offset ?? 0) + page.data.length;
              return offset < total && { offset };
            },
            example: { size: 2 },
          }),
        },
      }),
    },
  });
  const { fetch, sent } = fakeFetch(({ url }) => {
    const from = Number(url.searchParams.get('offset'));
    const some = notes.slice(from, from + Number(url.searchParams.get('size')));
    return json({ notes: some, total: notes.length });
  });
  return { Made, fetch, sent, seen };
}

describe('connector-specific settings', () => {
  it('reach the request and the response parser unchanged', async () => {
    const { Made, fetch, sent, seen } = made();
    const { data } = await new Made({ credentials, fetch, includeHidden: true, newestFirst: true }).notes.list();
    expect(sent[0]!.url.searchParams.get('hidden')).toBe('true');
    expect(data.map(({ id }) => id)).toEqual(['n2', 'n1']);
    expect(seen.calls[0]!.settings).toEqual({ includeHidden: true, newestFirst: true });
    expect(seen.reads).toEqual([{ includeHidden: true, newestFirst: true }]);
  });

  it('are false by default', async () => {
    for (const options of [{}, { includeHidden: undefined }, { includeHidden: false }]) {
      const { Made, fetch, sent, seen } = made();
      const { data } = await new Made({ credentials, fetch, ...options }).notes.list();
      expect(sent[0]!.url.searchParams.get('hidden')).toBe('false');
      expect(data.map(({ id }) => id)).toEqual(['n1', 'n2']);
      expect(seen.reads).toEqual([{ includeHidden: false, newestFirst: false }]);
    }
  });

  it('belong to one connector: another instance has its own', async () => {
    const { Made, fetch, sent } = made();
    const [one, two] = [new Made({ credentials, fetch, includeHidden: true }), new Made({ credentials, fetch })];
    await one.notes.list();
    await two.notes.list();
    expect(sent.map(({ url }) => url.searchParams.get('hidden'))).toEqual(['true', 'false']);
  });

  it('are passed to a custom transport', async () => {
    const { Made } = made();
    const told: Settings[] = [];
    const transport = async ({ settings }: { settings: Settings }) => {
      told.push(settings);
      return { data: [], meta: { total: 0 } };
    };
    await new Made({ transport, newestFirst: true }).notes.list();
    expect(told).toEqual([{ includeHidden: false, newestFirst: true }]);
  });

  it('are not read again after the connector has been created', async () => {
    const { Made, fetch, sent } = made();
    const options = { credentials, fetch, includeHidden: true };
    const connector = new Made(options);
    options.includeHidden = false;
    await connector.notes.list();
    expect(sent[0]!.url.searchParams.get('hidden')).toBe('true');
  });

  it.each([
    ['includeHiden', "Did you mean 'includeHidden'?"],
    ['includehidden', "Did you mean 'includeHidden'?"],
    ['newest_first', "Did you mean 'newestFirst'?"],
    ['readonly', "Did you mean 'readOnly'?"],
    ['zzz', 'Valid: '],
  ])('that are misspelled are rejected with the closest name (%s)', async (name, words) => {
    const { Made } = made();
    const error = await failure(() => void new Made({ credentials, [name]: true }));
    expect(error.code).toBe('invalid_params');
    expect(error.message).toContain(`'${name}'`);
    expect(error.message).toContain(words);
    expect(error.message).toMatch(/Valid: .*\bincludeHidden, newestFirst\./);
  });

  it.each(['true', 1, 0, null, [], {}])('must be boolean (%j)', async (value) => {
    const { Made } = made();
    const error = await failure(() => void new Made({ credentials, includeHidden: value as boolean }));
    expect(error).toMatchObject({
      code: 'invalid_params',
      message: 'Connector options: includeHidden must be true or false.',
    });
  });

  it('are rejected by a connector that has none', async () => {
    const { settings: _, ...manifest } = made().Made.manifest;
    const Plain = connector(manifest);
    const error = await failure(() => void new Plain({ credentials, includeHidden: true } as object));
    expect(error.message).toContain("have no 'includeHidden'");
  });

  it('are also typed as constructor options', () => {
    const { Made } = made();
    type Given = NonNullable<ConstructorParameters<typeof Made>[0]>;
    expectTypeOf<Given['includeHidden']>().toEqualTypeOf<boolean | undefined>();
    // @ts-expect-error misspelt
    expect(() => new Made({ credentials, includeHiden: true })).toThrow();
    // @ts-expect-error not a boolean
    expect(() => new Made({ credentials, newestFirst: 'yes' })).toThrow();
  });
});

describe('next', () => {
  it("receives each page's parameters and records", async () => {
    const { Made, fetch, sent, seen } = made();
    const found: string[] = [];
    for await (const { id } of new Made({ credentials, fetch }).paginate('notes', 'list', { color: 'red' })) {
      found.push(id);
    }
    expect(found).toEqual(['n1', 'n2', 'n3', 'n4', 'n5']);
    expect(sent.map(({ url }) => url.searchParams.get('offset'))).toEqual(['0', '2', '4']);
    expect(seen.pages).toEqual([
      { params: { color: 'red' }, data: notes.slice(0, 2) },
      { params: { color: 'red', offset: 2 }, data: notes.slice(2, 4) },
      { params: { color: 'red', offset: 4 }, data: notes.slice(4) },
    ]);
  });

  it('continues from where the caller started', async () => {
    const { Made, fetch, sent } = made();
    const found: string[] = [];
    const params = Object.freeze({ offset: 1, size: 3 });
    for await (const { id } of new Made({ credentials, fetch }).paginate('notes', 'list', params)) found.push(id);
    expect(found).toEqual(['n2', 'n3', 'n4', 'n5']);
    expect(sent.map(({ url }) => url.searchParams.get('offset'))).toEqual(['1', '4']);
    expect(params).toEqual({ offset: 1, size: 3 });
  });

  it('is not called when the caller has read enough', async () => {
    const { Made, fetch, sent, seen } = made();
    for await (const { id } of new Made({ credentials, fetch }).paginate('notes', 'list')) if (id === 'n2') break;
    expect(sent).toHaveLength(1);
    expect(seen.pages).toHaveLength(0);
  });
});
