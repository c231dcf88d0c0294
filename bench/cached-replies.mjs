import { createSandbox } from 'agent-connectors-sandbox';

const sandbox = createSandbox({ seed: 1 });
const { linear, 'google-drive': drive, 'google-analytics': analytics } = sandbox.vendors;
const cache = new Map();

/** The clients' credentials. */
export const credentials = {
  api_key: linear.credentials.api_key.api_key,
  access_token: drive.credentials.access_token.access_token,
  analytics: { ...analytics.credentials.oauth, ...analytics.credentials.access_token },
  property_id: analytics.properties.website,
};

/** Google's own clients do not support a path prefix in their base URL. @param {string} url */
function sandboxPath(url) {
  if (url.startsWith('/drive/')) return `/google-drive${url}`;
  return url.startsWith('/v1beta/') ? `/google-analytics${url}` : url;
}

/**
 * The sandbox's response to this request, cached.
 *
 * @param {{ method?: string, url?: string, headers: import('node:http').IncomingHttpHeaders }} request @param {string} body
 */
export async function cachedReply({ method = 'GET', url = '', headers }, body) {
  const key = `${method} ${url} ${body}`;
  const cached = cache.get(key);
  if (cached) return cached;
  const { authorization = '', 'content-type': type = 'application/json' } = headers;
  const response = await sandbox.handle(
    new Request(`http://localhost${sandboxPath(url)}`, {
      method,
      headers: { authorization, 'content-type': type },
      ...(body && { body }),
    }),
  );
  const content = Buffer.from(await response.arrayBuffer());
  // Without the vendor's budgets, which clients would keep to.
  const kept = [...response.headers].filter(([name]) => !/ratelimit|complexity|content-length/.test(name));
  const others = Object.fromEntries(kept);
  const answer = { status: response.status, headers: { ...others, 'content-length': content.length }, content };
  cache.set(key, answer);
  return answer;
}

/** Ids of the issues that the sandbox creates, by document. @type {Map<string, string>} */
const templateIds = new Map();
/** Ids of issues that clients have created. */
const created = new Set();
/** Responses with the ids of the sandbox's issues. @type {Map<string, ReturnType<typeof cachedReply>>} */
const templates = new Map();

/** The id of the issue that a document creates. @param {string} query */
function templateIdOf(query) {
  const id = templateIds.get(query) ?? `00000000-0000-4000-8000-${String(templateIds.size).padStart(12, '0')}`;
  templateIds.set(query, id);
  return id;
}

/**
 * The response to a request that creates an issue, or reads one by its id: the sandbox has a single such issue for each
 * document, and its id stands for theirs. Undefined for any other request.
 *
 * @param {import('node:http').IncomingHttpHeaders} headers @param {string} body
 */
export async function createdIssueReply(headers, body) {
  if (!body.includes('"variables"')) return undefined;
  const { query, variables } = JSON.parse(body);
  const isCreation = query.includes('issueCreate(');
  const { id, title } = isCreation ? variables.input : (variables ?? {});
  if (isCreation) created.add(id);
  else if (!created.has(id)) return undefined;
  const templateId = isCreation ? templateIdOf(query) : [...templateIds.values()][0];
  const template = body.replace(id, templateId).replace(JSON.stringify(title), '"Created"');
  // Concurrent requests share one, because the sandbox rejects a second issue with the same id.
  const known = templates.get(template) ?? cachedReply({ method: 'POST', url: '/linear/graphql', headers }, template);
  templates.set(template, known);
  const reply = await known;
  const content = Buffer.from(reply.content.toString().replaceAll(templateId, id));
  return { ...reply, headers: { ...reply.headers, 'content-length': content.length }, content };
}

const mark = '"@page@"';

/** An issue list response, split at its `pageInfo`. @param {Buffer} content */
function splitAtPageInfo(content) {
  const reply = JSON.parse(content.toString());
  const { pageInfo } = reply.data.issues;
  reply.data.issues.pageInfo = '@page@';
  const text = JSON.stringify(reply);
  const at = text.indexOf(mark);
  return { pageInfo, before: Buffer.from(text.slice(0, at)), after: Buffer.from(text.slice(at + mark.length)) };
}

/**
 * One page of a list of `total` issues: every page has the same records, and the cursor is a counter.
 *
 * @param {import('node:http').IncomingHttpHeaders} headers @param {string} body @param {number} total
 */
export async function countedPage(headers, body, total) {
  const { variables, ...rest } = JSON.parse(body);
  const { after, ...others } = variables ?? {};
  const request = { method: 'POST', url: '/linear/graphql', headers };
  const reply = await cachedReply(request, JSON.stringify({ ...rest, variables: others }));
  reply.cut ??= splitAtPageInfo(reply.content);
  const { pageInfo, before, after: end } = reply.cut;
  const page = after ? Number(after.slice('page-'.length)) : 0;
  const hasNextPage = (page + 1) * (others.first ?? 50) < total;
  const info = JSON.stringify({ ...pageInfo, hasNextPage, endCursor: `page-${page + 1}` });
  const content = Buffer.concat([before, Buffer.from(info), end]);
  return { ...reply, headers: { ...reply.headers, 'content-length': content.length }, content };
}
