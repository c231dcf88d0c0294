import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createSandbox } from 'agent-connectors-sandbox';
import { describe, expect, it } from 'vitest';
import { routes } from '../../../sandbox/src/google-drive/routes.js';
import { shapes } from '../../../sandbox/src/google-drive/shapes.js';
import { noon } from '../requester.js';
import { createFinder, createRequester, list } from './requester.js';

interface Schema {
  type?: string;
  format?: string;
  $ref?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
}

interface Method {
  httpMethod: string;
  path: string;
  flatPath?: string;
  response?: { $ref: string };
  parameters?: Record<string, { location: string; default?: string; minimum?: string; maximum?: string }>;
  mediaUpload?: { protocols: { simple: { path: string } } };
}

interface Discovery {
  parameters: Record<string, unknown>;
  schemas: Record<string, Schema>;
  resources: Record<string, { methods: Record<string, Method> }>;
}

const folder = process.env.VENDOR_SCHEMAS;

const root = fileURLToPath(new URL('../../../sandbox/src/google-drive', import.meta.url));

/** Every name that the sources read from a query string. */
function readParameters(): Set<string> {
  const found = new Set<string>();
  for (const file of readdirSync(root).filter((name) => name.endsWith('.ts'))) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, name] of text.matchAll(/\bsearch(?:\.\w+\(|, )'(\w+)'/g)) found.add(name!);
  }
  return found;
}

describe.skipIf(!folder)('Google’s discovery document (in the folder named by VENDOR_SCHEMAS)', () => {
  const document = folder ? (JSON.parse(readFileSync(join(folder, 'drive.v3.json'), 'utf8')) as Discovery) : undefined!;
  const methods = () => Object.values(document.resources).flatMap((resource) => Object.values(resource.methods));
  const same = (one: string, other: string) => one.replace(/\{\w+\}/g, '{}') === other.replace(/\{\w+\}/g, '{}');

  it('contains every method and path that the sandbox emulates', () => {
    expect(routes.length).toBeGreaterThan(20);
    for (const { verb, path } of routes) {
      const known = methods().some(({ httpMethod, path: real, flatPath = real, mediaUpload }) => {
        const places = [`/drive/v3/${flatPath}`, mediaUpload?.protocols.simple.path ?? ''];
        return httpMethod === verb && places.some((place) => same(place, path));
      });
      expect(known, `${verb} ${path}`).toBe(true);
    }
  });

  it('contains every query parameter that the sandbox reads', () => {
    const known = new Set([...Object.keys(document.parameters), 'upload_id']);
    for (const { parameters = {} } of methods()) for (const name of Object.keys(parameters)) known.add(name);
    const read = [...readParameters()];
    expect(read.length).toBeGreaterThan(20);
    expect(read.filter((name) => !known.has(name))).toEqual([]);
  });

  it('matches the page sizes that the sandbox uses', async () => {
    const ask = createRequester(createSandbox({ now: () => noon }));
    const id = await createFinder(ask)('Kick-off notes');
    const places = {
      files: list({}),
      drives: '/drive/v3/drives?',
      permissions: `/drive/v3/files/${id}/permissions?`,
      comments: `/drive/v3/files/${id}/comments?fields=*`,
      replies: `/drive/v3/files/${id}/comments/x/replies?fields=*`,
      revisions: `/drive/v3/files/${id}/revisions?`,
      changes: '/drive/v3/changes?pageToken=1000',
    };
    for (const [name, path] of Object.entries(places)) {
      const most = Number(document.resources[name]!.methods.list!.parameters!.pageSize!.maximum);
      expect((await ask(`${path}&pageSize=${most}`)).reason, name).not.toBe('invalidParameter');
      expect((await ask(`${path}&pageSize=${most + 1}`)).reason, name).toBe('invalidParameter');
    }
  });

  it('contains every requestable field', () => {
    const named: Record<keyof typeof shapes, string> = {
      file: 'File',
      fileList: 'FileList',
      drive: 'Drive',
      driveList: 'DriveList',
      permission: 'Permission',
      permissionList: 'PermissionList',
      comment: 'Comment',
      commentList: 'CommentList',
      reply: 'Reply',
      replyList: 'ReplyList',
      revision: 'Revision',
      revisionList: 'RevisionList',
      changeList: 'ChangeList',
      startPageToken: 'StartPageToken',
      about: 'About',
      generatedIds: 'GeneratedIds',
    };
    const check = (mask: Map<string, unknown> | 'all', schema: Schema, place: string): string[] => {
      const real = resolved(document, schema);
      if (mask === 'all') return [];
      return [...mask].flatMap(([name, inner]) => {
        if (name === '*') return real.additionalProperties ? [] : [`${place} is no map`];
        const property = real.properties?.[name];
        return property
          ? check(inner as Map<string, unknown>, property, `${place}.${name}`)
          : [`${place}.${name} does not exist`];
      });
    };
    const wrong = Object.entries(named).flatMap(([name, schema]) =>
      check(shapes[name as 'file'].allFields, { $ref: schema }, schema),
    );
    expect(wrong).toEqual([]);
    expect(check(new Map([['nope', 'all']]), { $ref: 'File' }, 'File')).toEqual(['File.nope does not exist']);
  });

  it('contains every value that the sandbox returns', async () => {
    const sandbox = createSandbox({ now: () => noon });
    const ask = createRequester(sandbox);
    const everywhere = { includeItemsFromAllDrives: 'true', supportsAllDrives: 'true' };
    const files = (await ask(list({ fields: '*', pageSize: '1000', ...everywhere }))).json;
    const answers: [string, unknown][] = [
      ['FileList', files],
      ['DriveList', (await ask('/drive/v3/drives?fields=*')).json],
      [
        'ChangeList',
        (
          await ask(
            '/drive/v3/changes?pageToken=1000&pageSize=1000&fields=*&supportsAllDrives=true&includeItemsFromAllDrives=true',
          )
        ).json,
      ],
      ['About', (await ask('/drive/v3/about?fields=*')).json],
      ['StartPageToken', (await ask('/drive/v3/changes/startPageToken')).json],
      ['GeneratedIds', (await ask('/drive/v3/files/generateIds')).json],
    ];
    for (const { id } of files.files.slice(0, 60)) {
      const more = async (rest: string) => (await ask(`/drive/v3/files/${id}/${rest}`)).json;
      answers.push(['CommentList', await more('comments?fields=*&includeDeleted=true&pageSize=100')]);
      const revisions = await more('revisions?fields=*');
      if (!revisions.error) answers.push(['RevisionList', revisions]);
      const permissions = await more('permissions?fields=*&supportsAllDrives=true');
      if (!permissions.error) answers.push(['PermissionList', permissions]);
    }
    const wrong = answers.flatMap(([name, value]) => misfits(document, value, { $ref: name }, name));
    expect([...new Set(wrong)]).toEqual([]);
    expect(answers.length).toBeGreaterThan(100);
    expect(misfits(document, { size: 5, nope: null }, { $ref: 'File' }, 'File')).toEqual([
      'File.size is no string',
      'File.nope does not exist',
    ]);
  });
});

function resolved(document: Discovery, schema: Schema): Schema {
  const real = schema.$ref === undefined ? schema : document.schemas[schema.$ref]!;
  return real.items ? resolved(document, real.items) : real;
}

/** Paths at which a value does not match the schema. */
function misfits(document: Discovery, value: unknown, given: Schema, place: string): string[] {
  const schema = given.$ref === undefined ? given : document.schemas[given.$ref]!;
  if (schema.type === 'array') {
    return Array.isArray(value)
      ? value.flatMap((one) => misfits(document, one, schema.items!, place))
      : [`${place} is no list`];
  }
  if (schema.type !== 'object') {
    const kind = schema.type === 'integer' ? 'number' : schema.type;
    if (schema.type === 'any' || typeof value === kind) {
      const isTime = schema.format === 'date-time';
      return isTime && !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value)) ? [`${place} is no time`] : [];
    }
    return [`${place} is no ${schema.type}`];
  }
  if (typeof value !== 'object' || value === null) return [`${place} is no object`];
  return Object.entries(value).flatMap(([name, inner]) => {
    const property = schema.properties?.[name] ?? schema.additionalProperties;
    return property ? misfits(document, inner, property, `${place}.${name}`) : [`${place}.${name} does not exist`];
  });
}
