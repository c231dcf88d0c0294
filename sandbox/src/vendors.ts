import { gong } from './gong/vendor.js';
import { googleAnalytics } from './google-analytics/vendor.js';
import { googleDrive } from './google-drive/vendor.js';
import { granola } from './granola/vendor.js';
import { linear } from './linear/vendor.js';
import type { VendorRecord } from './vendor.js';

/** The built-in vendors. */
export const vendors = {
  linear,
  granola,
  gong,
  'google-drive': googleDrive,
  'google-analytics': googleAnalytics,
} as const;

/** The name of a built-in vendor. */
export type VendorName = keyof typeof vendors;

/** The contents of `sandbox.vendors`: the handle of each vendor, built-in or added. */
export type VendorHandles<Added extends VendorRecord = {}> = {
  [Name in keyof (typeof vendors & Added)]: ReturnType<(typeof vendors & Added)[Name]['create']>['handle'];
};
