import { SkillDocsQuery, SkillDocsResponse } from 'agent-connectors/wire';
import { httpError, notFoundError } from '../../../domain/http-error.js';
import { Documents } from '../document.js';
import { isPeerClient } from '../handle-request.js';
import { type Call, type Route, route } from '../route.js';

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

const sections = new Documents<string>();

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
    const isPeer = isPeerClient(call.request);
    // The hash differs between connector types.
    return sections.respond(call.request, JSON.stringify([hash, part.id, isPeer]), () => ({
      metadata: { id: skill, title, version, hash },
      outline,
      section_id: part.id,
      // The Python client expects content blocks and shows paragraphs unchanged.
      content: isPeer ? [{ type: 'paragraph', text: part.text }] : part.text,
    }));
  },
});

/** Documentation routes for agents. */
export const skillRoutes: readonly Route[] = [docs];
