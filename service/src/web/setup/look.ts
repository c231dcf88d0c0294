import type { Brand, ConnectSession, SetupRow } from '../../data/state/setup-types.js';
import { type Texts, textsFor } from './texts/index.js';

/** Branding and language of a page. */
export interface Look {
  readonly texts: Texts;
  /** The product's branding; undefined for the service's own setups. */
  readonly brand?: Brand | undefined;
}

/** The look of a setup's pages, or the default one. */
export function lookOf(setup: Pick<SetupRow, 'connect'> | undefined, request?: Pick<Request, 'headers'>): Look {
  const { brand, locale }: Partial<ConnectSession> = setup?.connect ?? {};
  return { texts: textsFor(locale, request), brand };
}

/** Red, green and blue, from 0 to 255. */
type Rgb = readonly [number, number, number];

const rgbOf = (color: string): Rgb =>
  [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as never as Rgb;
const hexOf = (rgb: Rgb): string => `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

/** Relative luminance (WCAG 2.2). */
function luminance(rgb: Rgb): number {
  const [r, g, b] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as never as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: Rgb, b: Rgb): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((one, other) => other - one) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

const white: Rgb = [255, 255, 255];
const black: Rgb = [0, 0, 0];
/** Background colors of the stylesheet. */
const papers = { light: white, dark: [27, 30, 35] as Rgb };

/** The brand color, shifted toward black or white until it is readable (contrast ratio of 4.5). */
function readable(color: Rgb, scheme: 'light' | 'dark'): Rgb {
  const target = scheme === 'light' ? black : white;
  let share = 0;
  let mixed = color;
  while (contrast(mixed, papers[scheme]) < 4.5 && share < 1) {
    share += 0.05;
    mixed = color.map((part, index) => part + (target[index]! - part) * Math.min(share, 1)) as never as Rgb;
  }
  return mixed;
}

function accent(color: string, scheme: 'light' | 'dark'): string {
  const rgb = readable(rgbOf(color), scheme);
  const on = contrast(rgb, white) >= contrast(rgb, black) ? white : black;
  return `:root { --accent: ${hexOf(rgb)}; --on-accent: ${hexOf(on)}; }`;
}

/** Styles that apply a brand color, as `#rrggbb`. */
export const brandStyles = (color: string): string =>
  `${accent(color, 'light')}\n@media (prefers-color-scheme: dark) { ${accent(color, 'dark')} }\n`;
