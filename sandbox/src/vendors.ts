import { gong } from './gong/vendor.js';
import { googleAnalytics } from './google-analytics/vendor.js';
import { googleDrive } from './google-drive/vendor.js';
import { granola } from './granola/vendor.js';
import { linear } from './linear/vendor.js';

/** Every vendor that the sandbox emulates. */
export const vendors = {
  linear,
  granola,
  gong,
  'google-drive': googleDrive,
  'google-analytics': googleAnalytics,
} as const;

/** The name of an emulated vendor. */
export type VendorName = keyof typeof vendors;

/** What users of the sandbox see of each vendor. */
export type VendorHandles = {
  [Name in VendorName]: ReturnType<(typeof vendors)[Name]['create']>['handle'];
};
