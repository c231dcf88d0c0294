import { type FoundText, type References, TextObjects } from '../../objects/texts.js';
import type { ObjectStore } from '../../objects/types.js';
import type { Driver } from '../driver.js';
import type { IdentifiedRecord, StoredRecord } from '../entity.js';
import { decideExternal, type ExternalScope } from '../external-tests.js';
import { ExternalText, externalBody, externalValue, isIncomplete, parseReference } from '../external-text.js';
import { contextOf } from '../passages/hits.js';
import type { FieldText, LoadedPassages } from '../passages/types.js';
import type { Condition } from '../plan.js';
import { sanitizeText, slicer } from '../rows.js';
import { type Layout, parseCanonicalText, partsAt, unescapeText } from '../schema.js';

/** A driver that keeps long texts in an object store. */
export interface External {
  /** Stores long texts as objects and reads complete records. */
  readonly driver: Driver;
  /** Evaluates the tests that need long texts and replaces them with the ids of matching records. */
  decide(scope: Pick<ExternalScope, 'layout' | 'connectorId' | 'requester'>, condition: Condition): Promise<Condition>;
  /** Deletes unreferenced objects while `exclusively` keeps this process from writing rows. */
  collect(exclusively: References['exclusively']): Promise<number>;
}

export function openExternal(rows: Driver, store: ObjectStore, graceMs: number | undefined): External {
  const objects = new TextObjects(store, graceMs);
  return {
    driver: withExternalTexts(rows, objects),
    decide: (scope, condition) => decideExternal({ ...scope, driver: rows, objects }, condition),
    collect: (exclusively) => objects.collect({ connectors: rows.connectors, of: rows.references, exclusively }),
  };
}

/** Wraps a driver: long texts are stored as objects before their rows, and loaded when records are read. */
function withExternalTexts(driver: Driver, objects: TextObjects): Driver {
  /** Loads the texts of records; an unreadable text remains an `ExternalText` with the reason. */
  const restored = async (layout: Layout, connectorId: string, records: readonly StoredRecord[]) => {
    const texts = records.flatMap((record) => Object.values(record).filter(isExternal));
    if (texts.length === 0) return [...records];
    const found = await objects.read(connectorId, texts);
    const isText = new Set(layout.columns.filter(({ kind }) => kind === 'string').map(({ field }) => field));
    return records.map((record) => {
      const values = Object.entries(record).filter(([, value]) => isExternal(value));
      if (values.length === 0) return record;
      const fields = values.map(([field, value]) => {
        const text = found.get((value as ExternalText).digest)!;
        if ('problem' in text) return [field, withProblem(value as ExternalText, text.problem)];
        return [field, isText.has(field) ? unescapeText(text.text) : parseCanonicalText(text.text)];
      });
      return { ...record, ...Object.fromEntries(fields) };
    });
  };
  const shown = async (layout: Layout, connectorId: string, records: readonly StoredRecord[]) =>
    (await restored(layout, connectorId, records)).map((record) => withMessages(layout, record));
  const identified = async (
    layout: Layout,
    connectorId: string,
    found: readonly IdentifiedRecord[],
    read: typeof shown,
  ): Promise<IdentifiedRecord[]> => {
    const records = found.map(({ record }) => record);
    const whole = await read(layout, connectorId, records);
    return found.map(({ id }, index) => ({ id, record: whole[index]! }));
  };
  const loaded = async (layout: Layout, connectorId: string, { texts, records }: LoadedPassages) => {
    const references = texts.flatMap(({ external }) => (external ? [parseReference(external.reference)!] : []));
    const found = await objects.read(connectorId, references);
    return {
      records: await identified(layout, connectorId, records, shown),
      texts: texts.map(({ external, ...text }) => {
        const body = external && found.get(parseReference(external.reference)!.digest);
        if (!external) return text;
        if (!body || 'problem' in body) return { ...text, context: messageFor(body?.problem) };
        const { read, window, passage } = external;
        return { ...text, ...contextOf(slicer(body.text)(read.start, read.end), read, window, passage) };
      }),
    };
  };
  return {
    ...driver,
    async write(layout, connectorId, records, texts, at) {
      const stale = await objects.put(connectorId, externalTexts(layout, records, texts));
      const counts = await driver.write(layout, connectorId, records, texts, at);
      // Garbage collection in another process may have deleted these objects before their rows were written.
      if (stale.length > 0) await objects.put(connectorId, stale);
      return counts;
    },
    async reindex(layout, connectorId, records, texts) {
      await objects.put(connectorId, externalTexts(layout, records, texts));
      await driver.reindex(layout, connectorId, records, texts);
    },
    async removeConnector(connectorId) {
      const removed = await driver.removeConnector(connectorId);
      // If the store is unavailable, garbage collection deletes the objects later.
      await objects.removeConnector(connectorId).catch(() => undefined);
      return removed;
    },
    searchAsJson: undefined,
    async search(layout, connectorId, plan) {
      const page = await driver.search(layout, connectorId, plan);
      const records = await shown(layout, connectorId, page.records);
      const { fields } = plan;
      const hasPaths = fields?.some((path) => path.length > 1) ?? false;
      return { ...page, records: hasPaths ? records.map((record) => partsAt(record, fields!)) : records };
    },
    get: async (layout, connectorId, ids) =>
      identified(layout, connectorId, await driver.get(layout, connectorId, ids), shown),
    records: async (layout, connectorId, after, limit) =>
      identified(layout, connectorId, await driver.records(layout, connectorId, after, limit), restored),
    passages: {
      ...driver.passages,
      // Hits are completed with the texts of objects.
      find: undefined,
      read: async (layout, connectorId, ...found) =>
        loaded(layout, connectorId, await driver.passages.read(layout, connectorId, ...found)),
      async unembedded(embedder, limit) {
        const passages = await driver.passages.unembedded(embedder, limit);
        const found = new Map<string, FoundText>();
        for (const { external } of passages) {
          if (!external || found.has(keyOf(external))) continue;
          const own = passages.filter((one) => one.external?.connectorId === external.connectorId);
          const references = own.map((one) => parseReference(one.external!.reference)!);
          for (const [digest, text] of await objects.read(external.connectorId, references))
            found.set(`${external.connectorId} ${digest}`, text);
        }
        return passages.map(({ external, ...passage }) => {
          if (!external) return passage;
          const body = found.get(keyOf(external));
          // An unreadable passage must not block those after it.
          const text = body && 'text' in body ? slicer(body.text)(external.start, external.end) : passage.text;
          return { ...passage, text };
        });
      },
    },
  };
}

const keyOf = ({ connectorId, reference }: { readonly connectorId: string; readonly reference: string }): string =>
  `${connectorId} ${parseReference(reference)!.digest}`;

/** The record texts that are stored as objects. */
function* externalTexts(
  layout: Layout,
  records: readonly StoredRecord[],
  texts: ReadonlyArray<readonly FieldText[]> | undefined,
): Generator<string> {
  for (const [index, record] of records.entries()) {
    for (const column of layout.columns) {
      const text = externalValue(column, record[column.field]);
      if (text !== undefined) yield text;
    }
    for (const { field, text, passages } of texts?.[index] ?? []) {
      const column = layout.semantic.find((one) => one.field === field);
      const body = column && passages.length > 0 ? externalBody(column, sanitizeText(text)) : undefined;
      if (body !== undefined) yield body;
    }
  }
}

const isExternal = (value: unknown): value is ExternalText => value instanceof ExternalText;

const withProblem = ({ digest, length, head }: ExternalText, problem: string) =>
  new ExternalText(digest, length, head, problem);

const messageFor = (problem = 'missing'): string => `[unavailable: this text is ${problem} in the object store]`;

/** Replaces unreadable texts with a message. */
function withMessages(layout: Layout, record: StoredRecord): StoredRecord {
  if (!isIncomplete(record)) return record;
  const isList = new Set(layout.columns.filter(({ kind }) => kind === 'array').map(({ field }) => field));
  return Object.fromEntries(
    Object.entries(record).map(([field, value]) => {
      if (!isExternal(value)) return [field, value];
      const message = messageFor(value.problem);
      return [field, isList.has(field) ? [message] : message];
    }),
  );
}
