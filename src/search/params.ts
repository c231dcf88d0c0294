import * as z from 'zod';
import { isObject, keysAt } from '../action/params.js';
import { type FieldType, type Searchable, searchable } from './language/fields.js';
import { parseSearch } from './language/search.js';
import type { Search } from './types.js';

/** What can be searched, with advice from the record schema. */
export function searchableFields(
  { fields, dateTimes = [], compactDates, semantic = {}, about }: Search,
  record: z.core.$ZodType = z.unknown(),
): Searchable {
  const types = Object.entries(fields).flatMap(([type, names]) =>
    (names ?? []).map((name): [string, FieldType] => [
      name,
      dateTimes.includes(name) ? 'date-time' : (type as FieldType),
    ]),
  );
  return searchable({
    types: new Map(types),
    main: keysAt(record, []),
    namesIn: (field) => keysAt(record, [field]),
    about: [...(about?.title ?? []), ...(about?.words ?? [])],
    compactDates,
    semantic: Object.keys(semantic),
  });
}

/** Builds an entity's search parameters from its searchable fields and its record schema. */
export function searchParameters(search: Search, record?: z.core.$ZodType): z.core.$ZodType {
  const fields = searchableFields(search, record);
  return z
    .unknown()
    .superRefine((params, context) => {
      const parsed = parseSearch(params, fields);
      for (const { path, message, hint } of 'issues' in parsed ? parsed.issues : [])
        context.addIssue({ code: 'custom', path: [...path], message, ...(hint && { params: { hint } }) });
    })
    .transform(copyOf);
}

/** The caller may change the parameters after the call. */
const copyOf = (params: unknown): unknown =>
  isObject(params)
    ? Object.fromEntries(Object.entries(params).map(([name, value]) => [name, isObject(value) ? { ...value } : value]))
    : params;
