import * as z from 'zod';
import { newLabel } from '../api/input.js';
import { isColor } from './look.js';

const maxLogoCharacters = 65_536;

const webAddress = (pattern: RegExp, message: string, maxLength = 2000) =>
  z
    .string()
    .max(maxLength)
    .regex(pattern, { error: message, abort: true })
    .refine((text) => URL.canParse(text), message);
// Excludes anything that could end a directive of the page's security policy.
const logoPattern =
  /^(data:image\/(png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z\d+/=]+|https:\/\/[\w.-]+(:\d+)?\/[\w./~%-]*)$/;

/** The product's branding, as shown to users. */
export const BrandRequest = z.strictObject({
  name: newLabel('Product name.'),
  logo: webAddress(logoPattern, 'must be an https URL without a query, or an image data URL', maxLogoCharacters)
    .optional()
    .describe('An https URL, or a data URL containing a PNG, JPEG, GIF, WebP or SVG image up to 48 KiB in size.'),
  color: z.string().refine(isColor, 'must be a color such as #1d4ed8').optional(),
  support_url: webAddress(/^https:\/\/[^\s"<>]+$/, 'must be an https URL').optional(),
});
