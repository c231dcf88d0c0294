import { type DocumentNode, GraphQLError, getOperationAST, Kind, parse, validate } from 'graphql';
import { type Cost, costOf } from './complexity.js';
import { requestErrors } from './errors.js';
import { linearSchema } from './schema.js';

/** A document ready to run, or its validation errors. */
export interface Compiled {
  document?: DocumentNode;
  errors?: readonly GraphQLError[];
  /** The operation to run; undefined if the name is missing or wrong. */
  operation(name: string | undefined): CompiledOperation | undefined;
}

/** A compiled operation. */
interface CompiledOperation {
  rootField: string | undefined;
  /** Only queries the schema, which Linear allows without authentication. */
  isIntrospection: boolean;
  cost: Cost;
}

const maxCachedDocuments = 500;
const compiled = new Map<string, Compiled>();

/** Parses and validates a document; cached by text. */
export function compile(text: string): Compiled {
  const cached = compiled.get(text);
  if (cached) return cached;
  const fresh = compileUncached(text);
  compiled.set(text, fresh);
  if (compiled.size > maxCachedDocuments) compiled.delete(compiled.keys().next().value!);
  return fresh;
}

function compileUncached(text: string): Compiled {
  let document: DocumentNode;
  try {
    document = parse(text);
  } catch (error) {
    return {
      errors: [requestErrors.invalidDocument(error as GraphQLError, 'GRAPHQL_PARSE_FAILED')],
      operation: () => undefined,
    };
  }
  const schema = linearSchema();
  const errors = validate(schema, document).map((error) =>
    requestErrors.invalidDocument(error, 'GRAPHQL_VALIDATION_FAILED'),
  );
  const operations = new Map<string | undefined, CompiledOperation>();
  const operation: Compiled['operation'] = (name) => {
    const cached = operations.get(name);
    if (cached) return cached;
    const node = getOperationAST(document, name);
    if (!node) return undefined;
    const fields = node.selectionSet.selections.filter((selection) => selection.kind === Kind.FIELD);
    const fresh: CompiledOperation = {
      rootField: fields[0]?.name.value,
      isIntrospection:
        fields.length === node.selectionSet.selections.length &&
        fields.every((field) => field.name.value.startsWith('__')),
      cost: errors.length === 0 ? costOf(schema, document, node) : () => 0,
    };
    operations.set(name, fresh);
    return fresh;
  };
  return { document, operation, ...(errors.length > 0 && { errors }) };
}

/** The error for a missing operation. */
export function missingOperationError(): GraphQLError {
  return requestErrors.invalidDocument(
    new GraphQLError('The document does not contain the requested operation.'),
    'OPERATION_RESOLUTION_FAILURE',
  );
}
