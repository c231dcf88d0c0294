import type { VendorReply } from '../vendor.js';
import type { DriveContext } from './context.js';
import { apiErrors, json } from './errors.js';
import { applyMask, checkMask, type Mask, parseMask } from './fields.js';
import type { ReplyShape } from './shapes.js';

/** The mask of a request, checked against what it is answered with. */
export function maskOf({ search }: DriveContext, { allFields: all, defaultFields: usual }: ReplyShape): Mask {
  const text = search.get('fields');
  if (text === null || (text.trim() === '' && !usual)) {
    if (!usual) throw apiErrors.fieldsRequired();
    return usual;
  }
  if (text.trim() === '') return new Map();
  const mask = parseMask(text);
  checkMask(mask, all);
  return mask;
}

/** A resource with the fields that were asked for. */
export function resourceReply(context: DriveContext, shape: ReplyShape, value: object): VendorReply {
  const isPretty = context.search.get('prettyPrint') !== 'false';
  return json(200, applyMask(value, maskOf(context, shape), shape.allFields), isPretty);
}

/** An answer without a body. */
export const noContent: VendorReply = { status: 204, headers: {}, body: '' };
