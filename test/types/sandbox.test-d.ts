import { createSandbox, type Sandbox, type Vendor } from 'agent-connectors-sandbox';
import { describe, expectTypeOf, it } from 'vitest';
import { larderVendor } from '../../examples/larder/src/vendor.js';

describe('a sandbox with an added vendor', () => {
  const sandbox = createSandbox({ seed: 1, vendors: { larder: larderVendor } });

  it('has its credentials', () => {
    expectTypeOf(sandbox.vendors.larder.credentials.api_key).toEqualTypeOf<{ api_key: string }>();
    // @ts-expect-error no such credential
    sandbox.vendors.larder.credentials.oauth;
    // @ts-expect-error no such vendor
    sandbox.vendors.pantry;
  });

  it('has the built-in vendors, and is a sandbox', () => {
    expectTypeOf(sandbox.vendors.linear).toEqualTypeOf<Sandbox['vendors']['linear']>();
    expectTypeOf(sandbox).toExtend<Sandbox>();
    expectTypeOf(createSandbox()).toEqualTypeOf<Sandbox>();
    expectTypeOf<keyof Sandbox['vendors']>().toEqualTypeOf<
      'linear' | 'granola' | 'gong' | 'google-drive' | 'google-analytics'
    >();
  });

  it('accepts only implementations of Vendor', () => {
    expectTypeOf(larderVendor).toExtend<Vendor>();
    // @ts-expect-error `create` is missing
    createSandbox({ vendors: { larder: { origins: [] } } });
  });
});
