import script from './result.page.js';

/** What a page shows: the result of a read or search, or a write. */
export type PageView = 'result' | 'write';

const style = `
:root { color-scheme: light dark; font: 14px/1.45 var(--font-sans, system-ui, sans-serif); }
body { margin: 0; color: var(--color-text-primary, light-dark(#1b1b1b, #ececec));
  background: var(--color-background-primary, light-dark(#fff, #1b1b1b)); }
main { padding: 12px; overflow-wrap: anywhere; }
h1, h2 { margin: 0 0 8px; font-size: 1em; }
p, figure, ol { margin: 0 0 8px; }
li { margin-bottom: 8px; }
a { color: var(--color-text-info, light-dark(#0b57d0, #a8c7fa)); }
:focus-visible { outline: 2px solid var(--color-ring-primary, light-dark(#0b57d0, #a8c7fa)); outline-offset: 1px; }
.note, figcaption { color: var(--color-text-secondary, light-dark(#595959, #b4b4b4)); }
.scroll { max-height: 320px; overflow: auto; }
pre, dd { white-space: pre-wrap; }
table { border-collapse: collapse; }
th, td { padding: 3px 10px 3px 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--color-border-primary, light-dark(#d9d9d9, #444)); }
.number { text-align: right; font-variant-numeric: tabular-nums; }
svg { display: block; width: 100%; height: 160px; }
rect { fill: light-dark(#5b8def, #6c9bf5); }
rect.selected { fill: light-dark(#1d3f8b, #cfe0ff); }
input[type="range"] { width: 100%; margin: 4px 0; }
output, summary { display: block; }
summary { display: list-item; cursor: pointer; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 12px; margin: 0 0 8px; }
dt { color: var(--color-text-secondary, light-dark(#595959, #b4b4b4)); }
dd, pre { margin: 0; }
`;

/** The hash of an inline script or style in a content security policy. */
async function hashOf(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return `'sha256-${btoa(String.fromCharCode(...bytes))}'`;
}

/** A page that loads nothing and runs only its own script, whatever the client allows it. */
export async function pageOf(view: PageView): Promise<string> {
  const [scriptHash, styleHash] = await Promise.all([hashOf(script), hashOf(style)]);
  const policy = `default-src 'none'; script-src ${scriptHash}; style-src ${styleHash}; base-uri 'none'; form-action 'none'`;
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    `<title>Result</title><style>${style}</style></head>`,
    `<body data-view="${view}"><main></main><script>${script}</script></body></html>`,
  ].join('');
}
