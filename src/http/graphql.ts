import { type HttpRequest, post } from './request.js';

/** A GraphQL operation as a request; variables that are `undefined` are not sent at all. */
export const graphql = (document: string, variables: object, url = '/graphql'): HttpRequest =>
  post(url, { query: document, variables });

/** One entry of a GraphQL reply's `errors`. */
export interface GraphqlError {
  /** What went wrong, in the vendor’s words. */
  readonly message?: string;
  /** Where in the document. */
  readonly path?: ReadonlyArray<string | number>;
  /** What the vendor adds: code, type and the like. */
  readonly extensions?: Readonly<Record<string, any>>;
}

/** The failures that a GraphQL reply reports in its body, whatever its status. */
export function graphqlErrors(body: unknown): readonly GraphqlError[] {
  const errors = typeof body === 'object' && body !== null ? (body as { errors?: unknown }).errors : undefined;
  return Array.isArray(errors) ? errors.filter((error) => typeof error === 'object' && error !== null) : [];
}
