import type { LinearContext } from '../context.js';
import { type Listing, page } from '../pages.js';
import type { Row } from '../rows.js';
import type { PageArguments } from '../sort.js';

/** Computes one field. */
export type Resolver<Source = any, Arguments = any> = (
  source: Source,
  args: Arguments,
  context: LinearContext,
) => unknown;

/** Computed fields by type. */
export type Resolvers<Source = any> = Record<string, Resolver<Source>>;

/** A field that lists related rows. */
export function listOf<Source extends { id: string }, Stored extends Row>(
  name: string,
  type: string,
  rows: (source: Source, context: LinearContext, args: any) => readonly Stored[],
): Resolver<Source, PageArguments> {
  return (source, args, context) => {
    const listing: Listing<Stored> = { name: `${name}:${source.id}`, type, rows: () => rows(source, context, args) };
    return page(context, listing, args);
  };
}

/** A root field that lists all rows of a type. */
export function listAll<Stored extends Row>(
  type: string,
  rows: (context: LinearContext) => readonly Stored[],
): Resolver<unknown, PageArguments> {
  return (_, args, context) => page(context, { name: type, type, rows: () => rows(context) }, args);
}

/** Constants for fields without data. */
export function constants(values: Record<string, unknown>): Resolvers {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, () => value]));
}

/** Base URL of the workspace in Linear's web app. */
export const webAddress = 'https://linear.app/fernhill';

/** Labels of priorities 0 to 4. */
export const priorityLabels = ['No priority', 'Urgent', 'High', 'Medium', 'Low'] as const;

/** Placeholder for the editor's representation of text, which is opaque to clients. */
export function editorState(text: string | null): string | null {
  return text === null ? null : btoa(`state:${text.length}`);
}

/** The human-readable part of a URL. */
export function slugOf(title: string): string {
  const words = title
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return (words ?? ['untitled']).join('-').slice(0, 60);
}
