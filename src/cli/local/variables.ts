import type { Manifest } from '../../manifest/manifest.js';

/** A variable for a credential field, or for the path of a file that contains it. */
export interface Variable {
  readonly name: string;
  readonly kind: 'value' | 'path';
  /** False if several connectors share the variable. */
  readonly own: boolean;
}

/** Names that other tools use for a field. */
const aliases: Readonly<Record<string, readonly Variable[]>> = {
  credentials_json: [{ name: 'GOOGLE_APPLICATION_CREDENTIALS', kind: 'path', own: false }],
};

const toUpperSnakeCase = (name: string): string => name.toUpperCase().replaceAll('-', '_');

/**
 * Variables for a field, most specific first: prefixed with the type's name, then with the vendor's, then aliases.
 *
 * `google-drive` and `access_token` give GOOGLE_DRIVE_ACCESS_TOKEN, then GOOGLE_ACCESS_TOKEN.
 */
export function variablesFor({ name }: Pick<Manifest, 'name'>, field: string): Variable[] {
  const [vendor = '', ...product] = name.split('-');
  const own: Variable = { name: `${toUpperSnakeCase(name)}_${toUpperSnakeCase(field)}`, kind: 'value', own: true };
  if (product.length === 0) return [own, ...(aliases[field] ?? [])];
  return [
    own,
    { name: `${toUpperSnakeCase(vendor)}_${toUpperSnakeCase(field)}`, kind: 'value', own: false },
    ...(aliases[field] ?? []),
  ];
}

/** An auth mode and its variables. */
export interface ModeVariables {
  readonly mode: string;
  readonly fields: ReadonlyArray<{
    readonly field: string;
    readonly required: boolean;
    readonly secret: boolean;
    readonly variables: readonly Variable[];
  }>;
}

/** Variables for all auth modes of a connector. */
export const modesOf = (
  manifest: Pick<Manifest, 'name'>,
  auth: ReadonlyArray<{
    readonly mode: string;
    readonly fields: ReadonlyArray<{ readonly name: string; readonly required: boolean; readonly secret: boolean }>;
  }>,
): ModeVariables[] =>
  auth.map(({ mode, fields }) => ({
    mode,
    fields: fields.map(({ name, required, secret }) => ({
      field: name,
      required,
      secret,
      variables: variablesFor(manifest, name),
    })),
  }));
