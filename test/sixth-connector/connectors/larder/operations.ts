import { get, type HttpRequest, path } from '../../src/authoring.js';

/** A request that changes one jar. */
export const changing = (method: 'PATCH' | 'DELETE', id: string, json?: object): HttpRequest => ({
  method,
  url: path`/v1/jars/${id}`,
  ...(json && { json }),
});

/** A request for one jar. */
export const oneJar = (id: string): HttpRequest => get(path`/v1/jars/${id}`);
