import { cursors } from './cursors.js';
import { searchFilters } from './filters.js';
import { multipartBodies } from './multipart.js';
import { rangeHeaders } from './ranges.js';
import { vendorReplies } from './replies.js';
import { requestHeaders } from './requests.js';
import type { Fuzz } from './run.js';
import { serviceReplies } from './service-replies.js';

/** Everything tested with values of all kinds, keyed by the property that must hold for all of them. */
export const fuzzes: Readonly<Record<string, Fuzz>> = {
  'searches: only records of their own collection, or an error, and no search text in SQL': searchFilters,
  'cursors: valid only unaltered': cursors,
  'uploads: another parser reads the same content': multipartBodies,
  'ranges: one range is sent, and chunks have a maximum size': rangeHeaders,
  'requests: a response from the service, or a JSON error, without a secret': requestHeaders,
  'vendor responses: a result or a ConnectorError, without a secret': vendorReplies,
  'service responses: a result or a ConnectorError, without a secret': serviceReplies,
};
