import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSandbox } from 'agent-connectors-sandbox';
import {
  buildClientSchema,
  buildSchema,
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { createRequester, noon } from './requester.js';

const sandbox = createSandbox({ now: () => noon });
const ask = createRequester(sandbox);
const introspected = async () => buildClientSchema((await ask(getIntrospectionQuery())).data);
const folder = process.env.VENDOR_SCHEMAS;

function differences(ours: GraphQLSchema, theirs: GraphQLSchema): string[] {
  const found: string[] = [];
  for (const type of Object.values(ours.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    const real = theirs.getType(type.name);
    if (real?.astNode?.kind === undefined && !/^(String|Int|Float|Boolean|ID)$/.test(type.name)) {
      found.push(`${type.name} does not exist`);
    } else if (real && real.constructor.name !== type.constructor.name) {
      found.push(`${type.name} is a ${real.constructor.name}`);
    } else if (real) {
      found.push(...compare(type, real));
    }
  }
  return found;
}

function compare(type: GraphQLNamedType, real: GraphQLNamedType): string[] {
  const found: string[] = [];
  if ((isObjectType(type) && isObjectType(real)) || (isInputObjectType(type) && isInputObjectType(real))) {
    const realFields = real.getFields();
    for (const field of Object.values(type.getFields())) {
      const place = `${type.name}.${field.name}`;
      const realField = realFields[field.name];
      if (!realField) found.push(`${place} does not exist`);
      else if (String(realField.type) !== String(field.type)) found.push(`${place} is ${realField.type}`);
      const given: readonly GraphQLArgument[] = 'args' in field ? field.args : [];
      const realArguments: readonly GraphQLArgument[] = realField && 'args' in realField ? realField.args : [];
      for (const argument of given) {
        const match = realArguments.find((one) => one.name === argument.name);
        if (String(match?.type) !== String(argument.type)) found.push(`${place}(${argument.name}) is ${match?.type}`);
      }
      const names = given.map(({ name }) => name);
      for (const { name, type: needed } of realArguments) {
        if (String(needed).endsWith('!') && !names.includes(name)) found.push(`${place}(${name}) is required`);
      }
    }
    if (isInputObjectType(real) && isInputObjectType(type)) {
      for (const { name, type: needed, defaultValue } of Object.values(real.getFields())) {
        const isRequired = String(needed).endsWith('!') && defaultValue === undefined;
        if (isRequired && !type.getFields()[name]) found.push(`${type.name}.${name} is required`);
      }
    }
  }
  if (isEnumType(type) && isEnumType(real)) {
    for (const { name } of type.getValues())
      if (!real.getValue(name)) found.push(`${type.name}.${name} does not exist`);
  }
  if (isUnionType(type) && isUnionType(real)) {
    const members = real.getTypes().map(({ name }) => name);
    for (const { name } of type.getTypes()) if (!members.includes(name)) found.push(`${name} is not in ${type.name}`);
  }
  return found;
}

describe('the schema', () => {
  it.skipIf(!folder)("is a subset of Linear's own (requires the folder named by VENDOR_SCHEMAS)", async () => {
    const theirs = buildSchema(readFileSync(join(folder!, 'linear.schema.graphql'), 'utf8'));
    const ours = await introspected();
    expect(Object.keys(ours.getTypeMap()).length).toBeGreaterThan(80);
    // Added in version 98, which the published file may precede.
    const newer = ['ProjectStatus.team does not exist'];
    expect(differences(ours, theirs).filter((difference) => !newer.includes(difference))).toEqual([]);
  });

  it('detects differences from another schema', () => {
    const ours = buildSchema('type Query { a(x: Int): String! b: E } enum E { ONE TWO }');
    const theirs = buildSchema('type Query { a(x: String): String b: E } enum E { ONE }');
    expect(differences(ours, theirs)).toEqual(['Query.a is String', 'Query.a(x) is String', 'E.TWO does not exist']);
  });

  it('resolves every field without required arguments', async () => {
    const schema = await introspected();
    const roots = ['issues', 'projects', 'projectStatuses', 'teams', 'workflowStates', 'users', 'comments'];
    for (const root of roots) {
      const connection = getNamedType(schema.getQueryType()!.getFields()[root]!.type);
      const selection = everything(schema, connection.name, 4);
      const answer = await ask(`{ ${root}(first: 3) ${selection} }`);
      expect(answer.errors, root).toBeUndefined();
      expect(answer.data[root].nodes.length).toBeGreaterThan(0);
    }
    const single = await ask(
      `{ viewer ${everything(schema, 'User', 1)} organization ${everything(schema, 'Organization', 1)} }`,
    );
    expect(single.errors).toBeUndefined();
  });
});

/** A selection of every field down to a depth, with small pages to stay below the complexity limit. */
function everything(schema: GraphQLSchema, typeName: string, depth: number): string {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) return '{ __typename }';
  const parts = Object.values(type.getFields()).flatMap((field) => {
    const inner = getNamedType(field.type);
    const first = field.args.some(({ name }) => name === 'first') ? '(first: 1)' : '';
    if (!isCompositeType(inner)) return [field.name];
    return depth > 1 ? [`${field.name}${first} ${everything(schema, inner.name, depth - 1)}`] : [];
  });
  return `{ ${parts.length > 0 ? parts.join(' ') : '__typename'} }`;
}
