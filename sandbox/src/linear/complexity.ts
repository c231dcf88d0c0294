import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** Computes an operation's complexity for given variables. */
export type Cost = (variables: Record<string, unknown>) => number;

const defaultPage = 50;

/** Linear's complexity: 0.1 per scalar, 1 per object, a connection's nodes times the page size, rounded up. */
export function costOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Cost {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const part of document.definitions) {
    if (part.kind === Kind.FRAGMENT_DEFINITION) fragments.set(part.name.value, part);
  }

  const ofSelections = (selections: SelectionSetNode, typeName: string): Cost => {
    const type = schema.getType(typeName);
    const costs: Cost[] = [];
    let fixed = 0;
    for (const selection of selections.selections) {
      if (selection.kind === Kind.FIELD) {
        const output = isObjectType(type) ? type.getFields()[selection.name.value]?.type : undefined;
        if (!output || !isCompositeType(getNamedType(output))) fixed += 0.1;
        else costs.push(ofObject(selection, output, typeName));
        continue;
      }
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      if (!fragment) continue;
      costs.push(ofSelections(fragment.selectionSet, fragment.typeCondition?.name.value ?? typeName));
    }
    return sum(fixed, costs);
  };

  const ofObject = (field: FieldNode, output: GraphQLOutputType, parent: string): Cost => {
    const name = getNamedType(output).name;
    const inner = field.selectionSet ? ofSelections(field.selectionSet, name) : () => 0;
    const page = parent.endsWith('Connection') && /^(nodes|edges)$/.test(field.name.value);
    // The page size is on the connection, one level up, and multiplies only its nodes.
    if (page) return (variables) => (Number(variables[pageSize]) || defaultPage) * (1 + inner(variables));
    if (!name.endsWith('Connection')) return (variables) => 1 + inner(variables);
    const size = sizeOf(field);
    return (variables) => 1 + inner({ ...variables, [pageSize]: size(variables) });
  };

  const root = operation.operation === 'mutation' ? 'Mutation' : 'Query';
  const total = ofSelections(operation.selectionSet, root);
  const defaults: Record<string, unknown> = {};
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    if (defaultValue && 'value' in defaultValue) defaults[variable.name.value] = defaultValue.value;
  }
  return (variables) => Math.ceil(Math.round(total({ ...defaults, ...variables }) * 10) / 10);
}

/** Cannot clash with a variable, since it is not a valid GraphQL name. */
const pageSize = '#page';

function sum(fixed: number, costs: readonly Cost[]): Cost {
  if (costs.length === 0) return () => fixed;
  return (variables) => costs.reduce((total, cost) => total + cost(variables), fixed);
}

function sizeOf(field: FieldNode): (variables: Record<string, unknown>) => number {
  const sizeArguments = (field.arguments ?? []).filter((argument) => /^(first|last)$/.test(argument.name.value));
  return (variables) => {
    for (const { value } of sizeArguments) {
      const size = value.kind === Kind.VARIABLE ? variables[value.name.value] : 'value' in value && value.value;
      if (size != null && size !== false) return Number(size);
    }
    return defaultPage;
  };
}
