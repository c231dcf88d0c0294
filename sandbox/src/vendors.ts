import { googleDrive } from './google-drive/vendor.js';
import { granola } from './granola/vendor.js';
import { linear } from './linear/vendor.js';

/** Every vendor that the sandbox emulates. */
export const vendors = { linear, granola, 'google-drive': googleDrive } as const;

/** The name of an emulated vendor. */
export type VendorName = keyof typeof vendors;

/** What users of the sandbox see of each vendor. */
export type VendorHandles = {
  [Name in VendorName]: ReturnType<(typeof vendors)[Name]['create']>['handle'];
};
