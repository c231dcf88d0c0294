import * as z from 'zod';
import { httpError, notFoundError } from '../../../domain/http-error.js';
import { isPeerClient } from '../handle-request.js';
import { identifier } from '../input.js';
import { type Call, type Route, route } from '../route.js';

/** Query parameters that select the documentation to read. */
const SkillDocsQuery = z.strictObject({
  id: identifier(200).describe('`docs_skill_id` from inspect, a connector id or a type name.'),
  section: identifier(200).optional().describe('A section of the outline (default: the overview).'),
});

/** Documentation for agents. */
const SkillDocsResponse = z.object({
  metadata: z.object({ id: z.string(), title: z.string(), version: z.string(), hash: z.string() }),
  outline: z.array(z.object({ id: z.string(), title: z.string() })),
  section_id: z.string().nullable(),
  content: z
    .union([z.string(), z.array(z.object({ type: z.literal('paragraph'), text: z.string() }))])
    .describe('Markdown, or a list of blocks for the Python client, which identifies itself in X-ADP-Agent-SDK.'),
});

const suffix = '-connector-docs';

/** Resolves a documentation id: `docs_skill_id` from inspect, a connector id, or a type name. */
async function resolveDocsType(
  id: string,
  { scope, services: { state, definitions } }: Call<unknown, unknown>,
): Promise<string> {
  const typeName = id.endsWith(suffix) ? id.slice(0, -suffix.length) : id;
  if (definitions.names.includes(typeName)) return typeName;
  const row = await state.connectors.get(scope, id);
  if (!row) throw notFoundError(`documentation '${id.slice(0, 100)}'`);
  return row.type;
}

const docs = route({
  method: 'GET',
  path: '/api/v1/skills/docs',
  operationId: 'readSkillDocs',
  summary: 'Get a connector’s documentation for agents, in Markdown: overview and outline, or one section.',
  access: 'organization',
  tokenScope: 'read',
  forPersons: true,
  query: SkillDocsQuery,
  response: SkillDocsResponse,
  errors: [404],
  async handle(call) {
    const { id, section } = call.query;
    const {
      id: skill,
      title,
      version,
      hash,
      outline,
      overview,
      ...found
    } = await call.services.definitions.of(await resolveDocsType(id, call)).docs();
    const part = section === undefined ? { id: null, text: overview } : found.section(section);
    if (section !== undefined && part.id === null) throw httpError(404, 'not_found', part.text);
    // The Python client expects content blocks and shows paragraphs unchanged.
    const content = isPeerClient(call.request) ? [{ type: 'paragraph', text: part.text }] : part.text;
    return { metadata: { id: skill, title, version, hash }, outline, section_id: part.id, content };
  },
});

/** Documentation routes for agents. */
export const skillRoutes: readonly Route[] = [docs];
