import ts from 'typescript';
import { mappedText } from './mapped-text.mjs';

const parse = (file, text) => ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
/** Text of a type that is the same in all files: without the modules of the types that it names. */
const normalized = (node) =>
  node
    .getText()
    .replace(/import\("[^"]+"\)\./g, '')
    .replace(/\s+/g, ' ');
const argumentsOf = (node) => node?.typeArguments ?? [];
const pascal = (name) => name.replace(/(?:^|_)(\w)/g, (_, first) => first.toUpperCase());
const membersOf = (node) => (node?.members ?? []).filter((member) => ts.isPropertySignature(member) && member.type);
const nameOf = (member) => member.name.text ?? member.name.getText();

/** All alternatives that a schema allows. */
const formsOf = (schema) =>
  schema
    ? [schema, ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].flatMap(formsOf)]
    : [];
const propertyOf = (schema, name) => formsOf(schema).find(({ properties }) => properties?.[name])?.properties[name];
const itemsOf = (schema) => formsOf(schema).find(({ items }) => items)?.items;

/** A value's documentation: its schema's description (or else `meaning`) and limits. */
function textOf(schema, meaning = '') {
  const { description = meaning, default: byDefault } = schema;
  const limits = formsOf(schema).flatMap(({ minimum, maximum, minLength, maxLength, minItems, maxItems }) => [
    [minimum, 'at least', ''],
    [maximum, 'at most', ''],
    [minLength, 'at least', ' characters'],
    [maxLength, 'at most', ' characters'],
    [minItems, 'at least', ' items'],
    [maxItems, 'at most', ' items'],
  ]);
  const said = new Set(description.replaceAll(',', '').match(/-?\d+(\.\d+)?/g));
  const more = limits
    // Minimum lengths of 1 and the default integer bounds are not worth documenting.
    .filter(
      ([limit, , unit]) => limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER && !(unit && limit <= 1),
    )
    .filter(([limit]) => !said.has(String(limit)))
    .map(([limit, bound, unit]) => `${bound} ${limit.toLocaleString('en')}${unit}`);
  const range = more.length > 0 ? `${more.join(', ').replace(/^a/, 'A')}.` : '';
  const preset = byDefault === undefined ? '' : `@default ${JSON.stringify(byDefault)}`;
  return [description, range, preset].filter(Boolean).join(' ');
}

/** The part of the type checker that locates declarations. */
function sourcesOf(checker) {
  const partsOf = (type) => (type?.isUnion() ? type.types : type ? [type] : []);
  const typeOf = (symbol) => symbol && checker.getTypeOfSymbol(symbol);
  return {
    typeOf,
    property: (type, name) => {
      for (const part of partsOf(type)) {
        const symbol = checker.getPropertyOfType(part, name);
        if (symbol) return symbol;
      }
      return undefined;
    },
    elementOf: (type) => {
      for (const part of partsOf(type)) {
        const element = checker.getIndexTypeOfType(part, ts.IndexKind.Number);
        if (element) return element;
      }
      return undefined;
    },
    /** File, line and column of a declaration in the sources. */
    placeOf: (symbol) => {
      let declaration = symbol?.declarations?.[0];
      if (declaration && ts.isShorthandPropertyAssignment(declaration)) {
        const value = checker.getShorthandAssignmentValueSymbol(declaration);
        const target = value && value.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(value) : value;
        declaration = target?.declarations?.[0] ?? declaration;
      }
      const file = declaration?.getSourceFile();
      if (!file || file.isDeclarationFile) return undefined;
      const start = (ts.getNameOfDeclaration(declaration) ?? declaration).getStart();
      return { file: file.fileName, ...file.getLineAndCharacterOfPosition(start) };
    },
  };
}

/** Named record types that a connector exports, keyed by the text of their contents. */
function recordsOf(file, emitted) {
  const records = new Map();
  for (const { exportClause, moduleSpecifier } of file.statements.filter(ts.isExportDeclaration)) {
    const module =
      moduleSpecifier && new URL(moduleSpecifier.text.replace(/js$/, 'd.ts'), `file://${file.fileName}`).pathname;
    if (!exportClause || !emitted.has(module)) continue;
    const exported = new Set(exportClause.elements.map(({ name }) => name.text));
    for (const statement of parse(module, emitted.get(module)).statements.filter(ts.isVariableStatement)) {
      const [{ name, type }] = statement.declarationList.declarations;
      const [literal] = argumentsOf(type);
      const text = literal && normalized(literal);
      if (exported.has(name.text) && text && !records.has(text)) records.set(text, name.text);
    }
  }
  return records;
}

/**
 * A connector's declaration with comments, plus its source map. Types stay as compiled; only comments and names for
 * parameters, records and meta are added. `meanings` document fields without a schema.
 */
export function annotate({ declaration, source, description, meanings, emitted, checker }) {
  const file = parse(declaration, emitted.get(declaration));
  const text = mappedText(file.text);
  const records = recordsOf(file, emitted);
  const { typeOf, property, elementOf, placeOf } = sourcesOf(checker);
  const exports = new Map(
    checker.getExportsOfModule(checker.getSymbolAtLocation(source)).map((one) => [one.name, one]),
  );
  const aliases = new Map();

  const insert = (at, content) => text.replace(at, at, content);

  /** Documents a property and maps it to its source. */
  function explain(member, comment, symbol) {
    const isExplained = ts.getJSDocCommentsAndTags(member).length > 0;
    const start = member.getStart();
    if (comment && !isExplained) insert(start, `/** ${comment.replaceAll('*/', '*\\/')} */\n${text.indentAt(start)}`);
    const place = placeOf(symbol);
    if (place) insert(member.name.getStart(), place);
  }

  function explainMembers(node, schema, type, path) {
    for (const member of membersOf(node)) {
      const name = nameOf(member);
      const own = propertyOf(schema, name);
      const symbol = property(type, name);
      const inner = path && [...path, name];
      explain(member, own && textOf(own, inner && (meanings[inner.join('.')] ?? meanings[name])), symbol);
      explainType(member.type, own, typeOf(symbol), inner);
    }
  }

  /** Documents all properties of the type at this path in a result; records are replaced with their names. */
  function explainType(node, schema, type, path) {
    if (ts.isTypeLiteralNode(node)) {
      const record = records.get(normalized(node));
      if (record) nameType(record, node, schema, type, [record]);
      else explainMembers(node, schema, type, path);
    } else if (ts.isArrayTypeNode(node)) explainType(node.elementType, itemsOf(schema), elementOf(type), path);
    else if (ts.isTypeReferenceNode(node) && /Array$/.test(node.typeName.getText())) {
      explainType(argumentsOf(node)[0], itemsOf(schema), elementOf(type), path);
    } else if (ts.isTypeReferenceNode(node) && [...records.values()].includes(node.typeName.getText())) {
      throw new Error(`${declaration}: '${node.getText()}' names both a record of this connector and something else.`);
    } else if (ts.isTypeOperatorNode(node) || ts.isParenthesizedTypeNode(node)) {
      explainType(node.type, schema, type, path);
    } else for (const part of node.types ?? []) explainType(part, schema, type, path);
  }

  /** Replaces a type with a name that is defined at the end of the file. */
  function nameType(name, node, schema, type, path) {
    const edit = text.replace(node.getStart(), node.end, name);
    if (aliases.has(name)) return;
    aliases.set(name, { node, edit });
    explainMembers(node, schema, type, path);
  }

  function explainAction(entity, action, { type: node }, symbol) {
    if (!ts.isImportTypeNode(node) || node.qualifier?.getText() !== 'Action') return;
    const types = typeOf(property(typeOf(symbol), '~types'));
    const result = typeOf(property(types, 'result'));
    const parts = { Params: property(types, 'params'), Data: property(result, 'data'), Meta: property(result, 'meta') };
    argumentsOf(node).forEach((argument, i) => {
      const [part, of] = Object.entries(parts)[i];
      const schema = action[part.toLowerCase()];
      let [inner, type] = [argument, typeOf(of)];
      while (ts.isArrayTypeNode(inner)) [inner, type] = [inner.elementType, elementOf(type)];
      const isRecord = records.has(normalized(inner));
      const path = part === 'Params' ? undefined : [part];
      if (!membersOf(inner).length || isRecord) explainType(inner, schema, type, path);
      else nameType(pascal(entity) + pascal(action.name) + part, inner, schema, type, path);
    });
  }

  const sections = {
    entities: (node, type) => {
      for (const { name, description: about, actions } of description.entities) {
        const member = membersOf(node).find((one) => nameOf(one) === name);
        const symbol = property(type, name);
        explain(member, about, symbol);
        const [entity] = argumentsOf(member.type);
        const declared = (entity?.types ?? [entity]).flatMap(membersOf);
        for (const action of actions) {
          const actionMember = declared.find((one) => nameOf(one) === action.name);
          const actionSymbol = property(typeOf(property(typeOf(symbol), 'actions')), action.name);
          if (!actionMember) throw new Error(`${declaration}: ${name}.${action.name} is missing.`);
          explain(actionMember, action.description, actionSymbol);
          explainAction(name, action, actionMember, actionSymbol);
        }
      }
    },
    auth: (node, type) => {
      for (const member of membersOf(node)) {
        const { mode, fields, description: about } = description.auth.find((one) => one.mode === nameOf(member));
        const symbol = property(type, mode);
        explain(member, about, symbol);
        const schema = { properties: Object.fromEntries(fields.map((field) => [field.name, field])) };
        const [credentials] = argumentsOf(member.type);
        if (credentials) explainType(credentials, schema, typeOf(property(typeOf(symbol), '~credentials')));
      }
    },
    settings: (node, type) => {
      for (const member of membersOf(node)) {
        const setting = description.settings.find(({ name }) => name === nameOf(member));
        explain(member, setting.description, property(type, setting.name));
      }
    },
  };

  const base = file.statements.find(ts.isVariableStatement).declarationList.declarations[0];
  const connectorClass = file.statements.find(ts.isClassDeclaration);
  const classSymbol = exports.get(connectorClass.name.text);
  const manifest = typeOf(property(typeOf(classSymbol), 'manifest'));
  const [declared] = argumentsOf(base.type);
  for (const member of membersOf(declared)) {
    sections[nameOf(member)]?.(member.type, typeOf(property(manifest, nameOf(member))));
  }
  // With a name, it takes one word of what editors show about the class.
  const manifestName = connectorClass.name.text.replace(/Connector$/, 'Manifest');
  const manifestEdit = text.replace(declared.getStart(), declared.end, manifestName);
  insert(connectorClass.name.getStart(), placeOf(classSymbol));
  for (const { exportClause } of file.statements.filter(ts.isExportDeclaration)) {
    if (!exportClause) continue;
    const names = exportClause.elements.map((element) => element.getText()).filter((name) => !aliases.has(name));
    text.replace(exportClause.getStart(), exportClause.end, `{ ${names.join(', ')} }`);
  }

  const end = file.text.indexOf('//# sourceMappingURL');
  text.render(0, end);
  for (const [name, { node, edit }] of aliases) {
    const symbol = exports.get(name) && checker.getAliasedSymbol(exports.get(name));
    const [about] = symbol?.declarations.flatMap(ts.getJSDocCommentsAndTags) ?? [];
    text.append(`${about ? `${about.getText()}\n` : ''}${symbol ? 'export ' : ''}type `);
    if (symbol) text.append(placeOf(symbol));
    text.append(`${name} = `);
    text.render(node.getStart(), node.end, edit);
    text.append(';\n');
  }
  text.append(`interface ${manifestName} `);
  text.render(declared.getStart(), declared.end, manifestEdit);
  text.append('\n');
  text.append(file.text.slice(end));
  return text.finish(declaration);
}
