import { type HttpRequest, post } from './request.js';

/** A GraphQL operation as a request; variables that are `undefined` are not sent at all. */
export const graphql = (document: string, variables: object, url = '/graphql'): HttpRequest =>
  post(url, { query: document, variables });

/** One entry of a GraphQL reply's `errors`. */
export interface GraphqlError {
  readonly message?: string;
  readonly path?: ReadonlyArray<string | number>;
  readonly extensions?: Readonly<Record<string, any>>;
}

/** The failures that a GraphQL reply reports in its body, whatever its status. */
export function graphqlErrors(body: unknown): readonly GraphqlError[] {
  const errors = typeof body === 'object' && body !== null ? (body as { errors?: unknown }).errors : undefined;
  return Array.isArray(errors) ? errors.filter((error) => typeof error === 'object' && error !== null) : [];
}
