/** Makes TypeDoc's connector reference readable, and documents record fields from their schemas. */
import { readdirSync, readFileSync } from 'node:fs';
import {
  Comment,
  Converter,
  IndexEvent,
  PageEvent,
  ReferenceType,
  ReflectionKind,
  ReflectionType,
  UnknownType,
} from 'typedoc';
import { descriptionOf } from '../description-of.mjs';

/** Meanings of vendor record fields, keyed by `Type.path.of.field` or just by name. */
const meanings = Object.fromEntries(
  readdirSync('docs/fields').map((file) => [
    `agent-connectors/${file.replace('.json', '')}`,
    JSON.parse(readFileSync(`docs/fields/${file}`, 'utf8')),
  ]),
);

/** Kinds of names that package users can reference. */
const named =
  ReflectionKind.SomeExport |
  ReflectionKind.Property |
  ReflectionKind.Method |
  ReflectionKind.Accessor |
  ReflectionKind.Constructor;

/** Navigation group of pages by path, and their search boost relative to types. */
const groups = [
  [/docs\/guides\//, 'Guides', 8],
  [/guide\.md$/, 'Vendors', 4],
  [/docs\/reference\/|dist\//, 'Reference', 3],
  [/^/, 'Project', 2],
];

/** Members specific to a connector class. */
const own = (child) =>
  child.kindOf(ReflectionKind.Constructor) || (child.kindOf(ReflectionKind.Property) && !child.flags.isStatic);

/** Entry point for TypeDoc. */
export function load(app) {
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, describe, 100);
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => applyTitle(document));
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, (context) => {
    for (const reflection of context.project.getReflectionsByKind(ReflectionKind.Class)) {
      if (isConnector(reflection)) shorten(context.project, reflection);
    }
    for (const reflection of context.project.getReflectionsByKind(ReflectionKind.TypeAlias))
      unfold(context.project, reflection);
    for (const reflection of context.project.getReflectionsByKind(ReflectionKind.Variable))
      flatten(context.project, reflection);
    for (const reflection of context.project.getReflectionsByKind(ReflectionKind.Property)) {
      if (reflection.name.startsWith('~')) context.project.removeReflection(reflection);
      else explain(reflection);
    }
  });
  app.renderer.on(IndexEvent.PREPARE_INDEX, findByHeadings);
  app.renderer.on(PageEvent.END, (page) => {
    if (page.contents) page.contents = accessible(page.contents);
  });
  app.converter.on(Converter.EVENT_RESOLVE_END, ({ project }) => {
    // The page already shows the project's name above the README.
    const [opening] = project.readme ?? [];
    if (opening) opening.text = opening.text.replace(/^\s*# .+\n/, '');
    const names = project.getReflectionsByKind(named).length;
    app.logger.info(`measured: ${names} public names, of which none may be without an explanation`);
  });
}

/** Names a page after its first heading, sorts it into the navigation, and boosts it in search results. */
function applyTitle(document) {
  const heading = /^\s*# (.+)\n/.exec(document.content[0]?.text ?? '');
  if (heading) document.name = heading[1];
  const file = document.project.files.getReflectionPath(document) ?? '';
  const [, group, boost] = groups.find(([path]) => path.test(file));
  document.frontmatter.group = group;
  document.relevanceBoost = boost;
}

/** Makes a page searchable by its headings and first paragraph: otherwise, its text would rank below any comment. */
function findByHeadings(event) {
  event.searchFieldWeights.headings = 10;
  for (const [index, reflection] of event.searchResults.entries()) {
    if (!reflection.isDocument()) continue;
    const text = reflection.content.map((part) => part.text).join('');
    const [opening] = text
      .replace(/^\s*# .+\n/, '')
      .trim()
      .split('\n\n');
    const headings = [...text.matchAll(/^#{1,3} (.+)$/gm)].map(([, heading]) => heading);
    event.searchFields[index].headings = [...headings, opening].join(' ');
  }
}

/** Adds accessibility markup missing from the theme: a main landmark, and real headers and links. */
const accessible = (html) =>
  html
    .replace('<div class="col-content">', '<div class="col-content" role="main">')
    .replaceAll('<th></th>', '<td></td>')
    .replaceAll('<table>', '<table tabindex="0">')
    .replace(
      /(<summary class="tsd-accordion-summary"[^>]*>(?:(?!<\/summary>)[\s\S])*?)<a [^>]*>((?:(?!<\/a>)[\s\S])*?)<\/a>/g,
      // A heading link's icon has no size outside the link.
      (_, opening, label) => (label.includes('#icon-anchor') ? opening : `${opening}<span>${label}</span>`),
    );

/** Documents an uncommented property using its schema's `describe`. */
function describe(context, reflection) {
  if (reflection.comment || !reflection.kindOf(ReflectionKind.Property)) return;
  const declaration = context.getSymbolFromReflection(reflection)?.declarations?.[0];
  const text = declaration && descriptionOf(declaration.initializer ?? declaration.name, context.checker);
  if (text) reflection.comment = new Comment([{ kind: 'text', text }]);
}

/** Documents a vendor record field with its meaning. */
function explain(reflection) {
  const [module, ...path] = pathOf(reflection);
  const text = meanings[module]?.[path.join('.')] ?? meanings[module]?.[reflection.name];
  if (text && !reflection.comment) reflection.comment = new Comment([{ kind: 'text', text }]);
}

/** Names from the module down, without TypeDoc's generated ones. */
function pathOf({ name, parent, kind }) {
  if (kind === ReflectionKind.Project) return [];
  return [...(parent ? pathOf(parent) : []), ...(name === '__type' ? [] : [name])];
}

/** A class created by `connector({ … })`. */
const isConnector = ({ parent, extendedTypes = [] }) =>
  /^agent-connectors\/[\w-]+$/.test(parent?.name ?? '') && extendedTypes.length > 0;

/** Keeps only a connector's own members; the rest is in `Connector`, and its actions have their own page. */
function shorten(project, reflection) {
  for (const type of reflection.extendedTypes) project.removeTypeReflections(type);
  const [base] = project.getReflectionsByKind(ReflectionKind.Class).filter(({ name }) => name === 'Connector');
  reflection.extendedTypes = [ReferenceType.createResolvedReference('Connector', base, project)];
  for (const child of [...(reflection.children ?? [])]) {
    child.inheritedFrom = undefined;
    child.overwrites = undefined;
    if (!own(child)) project.removeReflection(child);
    else if (child.kindOf(ReflectionKind.Constructor)) takeOptions(project, child);
    else offerActions(project, child);
  }
}

function takeOptions(project, made) {
  for (const signature of made.signatures) {
    signature.inheritedFrom = undefined;
    signature.comment = new Comment([
      { kind: 'text', text: 'Creates a connector; invalid options throw a `ConnectorError` immediately.' },
    ]);
    for (const parameter of signature.parameters ?? []) parameter.type = withoutManifest(project, parameter.type);
  }
}

function offerActions(project, entity) {
  const names = (entity.type.declaration?.children ?? []).map(({ name }) => name);
  project.removeTypeReflections(entity.type);
  entity.type = new UnknownType(`{ ${names.map((name) => `${name}(params?, options?)`).join('; ')} }`);
  const list = names.map((name) => `\`${name}\``).join(', ');
  const page = `../documents/Actions_of_${titleOf(entity.parent)}.html#${entity.name}`;
  const text = `Runs ${list} for ${entity.name.replaceAll('_', ' ')}: [their parameters](${page}).`;
  entity.comment = new Comment([{ kind: 'text', text }]);
}

/** A vendor's name in page URLs, derived from its class. */
const titleOf = ({ name }) => name.replace(/Connector$/, '').replace(/\B([A-Z])/g, '_$1');

/** A type with an inferred manifest replaced by `Manifest`. */
function withoutManifest(project, type) {
  if (!type?.typeArguments) return type;
  for (const argument of type.typeArguments) project.removeTypeReflections(argument);
  type.typeArguments = [ReferenceType.createBrokenReference('Manifest', project, undefined)];
  return type;
}

/** Shows a record's fields. Its shape and its type share a name, and the page for that name documents the type. */
function unfold(project, reflection) {
  const [fields] = reflection.type?.name === 'RecordShape' ? (reflection.type.typeArguments ?? []) : [];
  if (!fields) return;
  const [twin] = reflection.parent.children.filter((one) => one !== reflection && one.name === reflection.name);
  if (twin) project.removeReflection(twin);
  reflection.type = fields;
}

/** Reduces constant data to the names of its parts. */
function flatten(project, { type }) {
  for (const part of type instanceof ReflectionType ? (type.declaration.children ?? []) : []) {
    if (!(part.type instanceof ReflectionType)) continue;
    const names = (part.type.declaration.children ?? []).map(({ name }) => name);
    project.removeTypeReflections(part.type);
    part.type = new UnknownType(`{ ${names.join(', ')} }`);
  }
}
