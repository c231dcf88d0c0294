import { isLoopback } from '../../common/loopback.js';

/** Origin of a return URL; undefined if browsers must not be sent there. */
export function returnOriginOf(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.username || url.password || url.hash) return undefined;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.host)) ? url.origin : undefined;
}

/** A registrable origin: an https URL without a path, or http on this machine. */
export const isReturnOrigin = (text: string): boolean => returnOriginOf(text) === text;
