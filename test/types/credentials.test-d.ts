import { connector } from 'agent-connectors';
import { GoogleAnalyticsConnector } from 'agent-connectors/google-analytics';
import { describe, expectTypeOf, it } from 'vitest';

const never = (..._calls: Array<() => unknown>) => {};

describe('credentials', () => {
  it('of two modes cannot be mixed', () => {
    never(
      // @ts-expect-error fields of two modes
      () => new GoogleAnalyticsConnector({ credentials: { credentials_json: '{}', client_id: 'c' } }),
      () =>
        new GoogleAnalyticsConnector({
          // @ts-expect-error two modes, both complete
          credentials: { credentials_json: '{}', client_id: 'c', client_secret: 's', refresh_token: 'r' },
        }),
    );
  });
});

describe('a manifest', () => {
  it('can omit settings', () => {
    const make = () => connector({ ...GoogleAnalyticsConnector.manifest, settings: undefined });
    type Given = NonNullable<ConstructorParameters<ReturnType<typeof make>>[0]>;
    expectTypeOf<'readOnly'>().toExtend<keyof Given>();
    expectTypeOf<{ readOnly: true }>().toExtend<Given>();
  });
});
