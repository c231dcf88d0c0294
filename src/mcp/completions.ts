import type { ActionDescription, EntityDescription } from '../manifest/describe.js';
import { pageSizeOf } from '../tools/page-size.js';
import type { Member } from '../tools/toolset.js';

type Values = Readonly<Record<string, unknown>>;

/** A record that an argument may refer to. */
interface Candidate {
  /** The id that calls accept. */
  readonly id: string;
  /** Names that a user can type instead. */
  readonly names: readonly string[];
}

const maxValues = 20;
const maxListed = 100;
const maxCached = 50;
const cacheTtlMs = 60_000;
const timeoutMs = 5_000;

/** Fields that identify records to people. */
const nameFields = ['identifier', 'title', 'name', 'file_name'];

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function candidateOf(record: unknown): Candidate[] {
  const fields = (record ?? {}) as Values;
  const key = Object.keys(fields).find((name) => /^[a-z]+_?id$/i.test(name));
  const id = [fields.identifier, fields.id, key && fields[key]].find(isText);
  if (id === undefined) return [];
  return [{ id, names: [fields.id, ...nameFields.map((name) => fields[name])].filter(isText) }];
}

/** Completes record ids from search or list results; never fails, and makes few requests. */
export class RecordCompletions {
  readonly #cache = new Map<string, { readonly at: number; readonly found: Promise<Candidate[]> }>();

  /** Up to twenty ids of records that match the typed text by id or name. */
  async complete(members: readonly Member[], connector: string, entityName: string, typed: string): Promise<string[]> {
    const member = members.find(({ key }) => key === connector);
    const entity = member?.allowed.entities.find(({ name }) => name === entityName);
    if (!member || !entity) return [];
    const fits = ({ id, names }: Candidate) =>
      [id, ...names].some((name) => name.toLowerCase().includes(typed.toLowerCase()));
    const found = await this.#found(member, entity, typed);
    const listed = found.length > 0 ? found : await this.#listed(member, entity);
    return [...new Set(listed.filter(fits).map(({ id }) => id))].slice(0, maxValues);
  }

  /** Matches in the replica, if a service provides search for the connector. */
  async #found(member: Member, { name, actions, search }: EntityDescription, typed: string): Promise<Candidate[]> {
    const action = actions.find(({ hosted_only }) => hosted_only);
    const fields = ['id', ...nameFields].filter((field) => search?.fields[field] === 'string');
    if (!action || fields.length === 0) return [];
    const filter = typed === '' ? {} : { or: fields.map((field) => ({ contains: { [field]: typed } })) };
    return this.#cached([member, name, typed], async () =>
      (await member.searchable()) ? run(member, name, action, { query: { filter }, limit: maxValues }) : [],
    );
  }

  /** The first page of the list; required parent parameters use the configured values. */
  async #listed(member: Member, { name, actions }: EntityDescription): Promise<Candidate[]> {
    const action = actions.find((each) => each.name === 'list' && each.effect === 'read');
    if (!action) return [];
    const { required = [] } = action.params as { readonly required?: readonly string[] };
    return this.#cached([member, name], async () => {
      if (required.length > 0) {
        const known = await member.known();
        return required.flatMap((parameter) => (known[parameter] ?? []).map((id) => ({ id, names: [] })));
      }
      const size = pageSizeOf(action.params, {});
      return run(member, name, action, size ? { [size.name]: Math.min(maxListed, size.maximum ?? maxListed) } : {});
    });
  }

  #cached([{ key }, ...rest]: readonly [Member, ...string[]], read: () => Promise<Candidate[]>): Promise<Candidate[]> {
    const cacheKey = JSON.stringify([key, ...rest]);
    const known = this.#cache.get(cacheKey);
    if (known && Date.now() - known.at < cacheTtlMs) return known.found;
    const found = read().catch(() => []);
    this.#cache.delete(cacheKey);
    this.#cache.set(cacheKey, { at: Date.now(), found });
    for (const oldest of this.#cache.keys()) if (this.#cache.size > maxCached) this.#cache.delete(oldest);
    return found;
  }
}

async function run({ connector }: Member, entity: string, { name }: ActionDescription, params: Values) {
  const { data } = await connector.execute(entity, name, params, { timeoutMs, intent: 'prompt completion' });
  return Array.isArray(data) ? data.flatMap(candidateOf) : [];
}
