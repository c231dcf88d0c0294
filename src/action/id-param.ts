import * as z from 'zod';

/** What an id parameter finds in a URL: the id, or what is wrong with the URL. */
export type UrlId =
  | string
  | {
      /** Such as `is the URL of a folder`. */
      readonly problem: string;
    }
  | undefined;

/** Options of `idParam`. */
export interface IdParamOptions {
  /** The id in a URL from the vendor's web application; undefined if the URL contains none. */
  readonly find?: ((url: URL) => UrlId) | undefined;
  /** What to pass, such as `a file id, such as 1dyUEebJaFnWa`. */
  readonly expected: string;
  /** What is wrong with a value that is not a string; the default message if undefined. */
  readonly typeError?: ((input: unknown) => string) | undefined;
}

/** A parameter for an id. Takes the id out of a URL, as people and agents paste it, and rejects URLs without one. */
export const idParam = (description: string, { find, expected, typeError }: IdParamOptions): z.ZodString =>
  z
    .string(typeError && { error: ({ input }) => typeError(input) })
    .trim()
    .overwrite((text) => {
      const id = idIn(text, find);
      return typeof id === 'string' ? id : text;
    })
    .min(1)
    .refine((text) => !isUrl(text), {
      error: ({ input }) => {
        const id = idIn(String(input), find);
        const problem = typeof id === 'object' ? id.problem : 'is a URL that does not contain the id';
        return `${problem}; pass ${expected}`;
      },
    })
    .describe(description);

const idIn = (text: string, find: IdParamOptions['find']): UrlId => {
  const url = urlIn(text);
  return url && find?.(url);
};

// No vendor's ids contain the slash that follows a scheme or a host name.
const isUrl = (text: string): boolean =>
  // A host name has up to 253 characters.
  /^<?(?:[a-z][a-z\d+.-]*:\/\/|(?:[a-z\d-]+\.)+[a-z]{2,}\/)/i.test(text.slice(0, 300));

/** The URL that a text consists of, with or without a scheme or angle brackets. */
function urlIn(text: string): URL | undefined {
  if (!isUrl(text)) return undefined;
  const address = text.replace(/^<|>$/g, '');
  const whole = /^[a-z][a-z\d+.-]*:\/\//i.test(address) ? address : `https://${address}`;
  return URL.canParse(whole) ? new URL(whole) : undefined;
}
