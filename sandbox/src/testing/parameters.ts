import { ConnectorError } from 'agent-connectors';
import { describe, expect, test } from 'vitest';
import { asTableRows, type LocalAction, localActions, prepareTrial, type Subject, type Trial } from './subject.js';

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly minItems?: number;
}

type Params = Readonly<Record<string, unknown>>;

/** Sample strings; most patterns match one of them. */
const texts = ['x1', '2026-01-02', '2026-01-02T03:04:05Z', '123456789', 'bytes=1-2', 'eDE='];

/** Sample values for a schema, which may allow only some of them. */
function valuesOf(schema: Schema): unknown[] {
  const { type, items, enum: choices, anyOf, minimum, minItems = 1 } = schema;
  if ('const' in schema) return [schema.const];
  if (choices) return [...choices];
  if (anyOf) return anyOf.flatMap(valuesOf);
  const types = [type].flat();
  if (types.includes('boolean')) return [true, false];
  if (types.includes('integer') || types.includes('number')) {
    const least = Math.max(minimum ?? 1, 0);
    return [least, least + 1];
  }
  if (types.includes('array')) return valuesOf(items ?? {}).map((value) => Array<unknown>(minItems).fill(value));
  if (types.includes('object')) return [requiredOf(schema)];
  return types.includes('null') ? [null] : texts;
}

/** An object with only a schema's required properties. */
const requiredOf = ({ properties = {}, required = [] }: Schema): Params =>
  Object.fromEntries(required.map((name) => [name, valuesOf(properties[name]!)[0]]));

/** Maximum depth at which fields of an object parameter are examined. */
const depth = 4;

/**
 * For each parameter with several possible values, by path: a copy of the given parameters in which it has a different
 * value, and a copy that omits it if it is optional.
 */
function variantsOf(schema: Schema, given: Params, values: Params, path = ''): Array<[string, Params[]]> {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const here = `${path}${name}`;
    const { [name]: value, ...others } = given;
    if ('const' in property) return [];
    // Conditions can be nested, so each is sent as a whole.
    if (property.properties && !('and' in property.properties) && here.split('.').length < depth) {
      const inner = variantsOf(property, (value as Params | undefined) ?? requiredOf(property), values, `${here}.`);
      return inner.map(([at, all]): [string, Params[]] => [at, all.map((changed) => ({ ...given, [name]: changed }))]);
    }
    const candidates = here in values ? [values[here]] : valuesOf(property);
    const variants = candidates.map((candidate) => ({ ...given, [name]: candidate }));
    if (value !== undefined && !schema.required?.includes(name)) variants.push(others);
    return [[here, variants]];
  });
}

/** Ids, signatures and assertions, which can differ each time. */
const volatile = /eyJ[\w-]+\.[\w-]+\.[\w-]+|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{64}/g;

/** A request body, without unused GraphQL variables, which have no effect. */
function effective(body: string): string {
  if (!body.startsWith('{"query":')) return body;
  const { query, variables = {} } = JSON.parse(body) as { query: string; variables?: object };
  const used = Object.entries(variables).filter(([name]) => new RegExp(`\\$${name}\\b`).test(query));
  return JSON.stringify([query, used]);
}

/** The first requests that a call sends, as text; empty if its parameters are rejected. */
async function requestsOf({ sandbox }: Trial, subject: Subject, { entity, action }: LocalAction, params: object) {
  const sent: string[] = [];
  // Rate limits are tracked per fetch, so each call has its own fetch.
  const fetch: typeof globalThis.fetch = async (input, init) => {
    if (sent.length === 4) throw new TypeError('fetch failed');
    const { authorization: _, ...headers } = Object.fromEntries(new Headers(init?.headers));
    const body = init?.body ? await new Response(init.body).text() : '';
    sent.push(JSON.stringify([init?.method, String(input), headers, effective(body)]).replaceAll(volatile, ''));
    return sandbox.fetch(input, init);
  };
  const connector = new subject.Connector({ credentials: subject.credentials(sandbox), fetch, retries: 0 });
  await connector
    .execute(entity, action, params)
    .catch((error: unknown) => expect(error).toBeInstanceOf(ConnectorError));
  return sent.join('\n');
}

/** Tests every parameter that an action declares: a different value must produce a different request. */
export function testParameters(subject: Subject): void {
  const { values = {}, unsent = {} } = subject.parameters ?? {};
  const actions = localActions(subject);
  const schemas = new Map<string, Schema>(
    subject.Connector.describe().entities.flatMap(({ name, actions: all }) =>
      all.map((action): [string, Schema] => [`${name}.${action.name}`, action.params as Schema]),
    ),
  );

  describe('sends every parameter', () => {
    test.each(asTableRows(actions))('of %s', async (_, localAction) => {
      const { label } = localAction;
      let trial = await prepareTrial(subject, localAction);
      const send = async (params: object) => {
        // Changes made by one write must not affect the next one.
        if (!localAction.reads) trial = await prepareTrial(subject, localAction);
        return requestsOf(trial, subject, localAction, params);
      };
      const before = await send(trial.params);
      expect(await send(trial.params), 'the same parameters produce the same requests').toBe(before);
      const missing: string[] = [];
      for (const [path, variants] of variantsOf(schemas.get(label)!, trial.params as Params, values)) {
        let changed = false;
        for (const params of variants) {
          if (changed) break;
          const requests = await send(params);
          changed = requests !== '' && requests !== before;
        }
        if (!changed) missing.push(path);
      }
      expect(missing).toEqual(Object.keys(unsent[label] ?? {}));
    });
  });
}
