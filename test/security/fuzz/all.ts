import { cursors } from './cursors.js';
import { searchFilters } from './filters.js';
import { multipartBodies } from './multipart.js';
import { rangeHeaders } from './ranges.js';
import { vendorReplies } from './replies.js';
import { requestHeaders } from './requests.js';
import type { Fuzz } from './run.js';
import { serviceReplies } from './service-replies.js';

/** Everything that is tried with values of all kinds, by what holds whatever they are. */
export const fuzzes: Readonly<Record<string, Fuzz>> = {
  'searches: records of its own, or a refusal, and no text of it in SQL': searchFilters,
  'cursors: good as they were given, and otherwise refused': cursors,
  'uploads: read by another parser as they were given': multipartBodies,
  'ranges: one range goes out, and a chunk is bounded': rangeHeaders,
  'requests: an answer of the service, or a refusal in JSON, without a secret': requestHeaders,
  'replies of vendors: a result or a ConnectorError, without a secret': vendorReplies,
  'replies of a service: a result or a ConnectorError, without a secret': serviceReplies,
};
