import type { Manifest } from '../../manifest/manifest.js';

/** A variable that may hold a field of credentials, or the path of the file that does. */
export interface Variable {
  readonly name: string;
  readonly kind: 'value' | 'path';
  /** False for one that several connectors share. */
  readonly own: boolean;
}

/** Names that a field goes by elsewhere. */
const aliases: Readonly<Record<string, readonly Variable[]>> = {
  credentials_json: [{ name: 'GOOGLE_APPLICATION_CREDENTIALS', kind: 'path', own: false }],
};

const toUpperSnakeCase = (name: string): string => name.toUpperCase().replaceAll('-', '_');

/**
 * Variables for a field, the most particular first: the type's name before it, then the vendor's, then aliases.
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

/** One way to authorise, as the environment holds it. */
export interface ModeVariables {
  readonly mode: string;
  readonly fields: ReadonlyArray<{
    readonly field: string;
    readonly required: boolean;
    readonly secret: boolean;
    readonly variables: readonly Variable[];
  }>;
}

/** The variables of every mode of a connector. */
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
