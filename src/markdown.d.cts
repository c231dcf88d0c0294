// As `export =`, so that declarations name the type itself and not this module, which is not published.
declare module '*.md' {
  const text: string;
  export = text;
}

declare module '*.worker.js' {
  const text: string;
  export = text;
}

declare module '*.page.js' {
  const text: string;
  export = text;
}
