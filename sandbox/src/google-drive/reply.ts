import type { VendorReply } from '../vendor.js';
import type { DriveContext } from './context.js';
import { apiErrors, json } from './errors.js';
import { applyMask, checkMask, type Mask, parseMask } from './fields.js';
import type { ReplyShape } from './shapes.js';

/** The field mask of a request, validated against the response. */
export function maskOf({ search }: DriveContext, { allFields, defaultFields }: ReplyShape): Mask {
  const text = search.get('fields');
  if (text === null || (text.trim() === '' && !defaultFields)) {
    if (!defaultFields) throw apiErrors.fieldsRequired();
    return defaultFields;
  }
  if (text.trim() === '') return new Map();
  const mask = parseMask(text);
  checkMask(mask, allFields);
  return mask;
}

/** A resource with the requested fields. */
export function resourceReply(context: DriveContext, shape: ReplyShape, value: object): VendorReply {
  const isPretty = context.search.get('prettyPrint') !== 'false';
  return json(200, applyMask(value, maskOf(context, shape), shape.allFields), isPretty);
}

/** A response without a body. */
export const noContent: VendorReply = { status: 204, headers: {}, body: '' };
