import type { Call } from '../arguments/specification.js';
import { asConnectorError } from '../failure.js';
import { concernsAll, mend } from './mend.js';
import { classAsked, guideOf, openLocal } from './open.js';
import { givenBy, probeOf } from './probes.js';

/** Makes the first cheap read that needs nothing beforehand; the exit code says whether the credentials hold. */
export async function checkLocal(call: Call): Promise<number> {
  const { argument, print, surroundings } = call;
  const Class = await classAsked(call);
  const { connector, mode, variables } = await openLocal(Class, call);
  const guide = await guideOf(Class);
  const given = givenBy(guide, argument, surroundings.env);
  const known = { guide, given, records: new Map(), now: Date.now() };
  const head = { connector: Class.manifest.name, mode, variables };
  for (const entity of Class.describe().entities) {
    const probe = probeOf(entity, known);
    if ('lacks' in probe) continue;
    const result = { entity: entity.name, action: probe.action };
    try {
      await connector.execute(entity.name, probe.action, probe.params, { signal: surroundings.signal });
      await print.result({ ...head, status: 'succeeded', error_message: null, ...result });
      return 0;
    } catch (thrown) {
      surroundings.signal.throwIfAborted();
      const error = asConnectorError(thrown);
      const { code, message, retryable } = error;
      const status = retryable ? 'inconclusive' : 'failed';
      await print.result({ ...head, status, error_message: message, code, mend: mend(error), ...result });
      return status === 'inconclusive' ? 1 : concernsAll(error) || code !== 'invalid_params' ? 2 : 1;
    }
  }
  const lacks = 'No entity can be read without more: see doctor.';
  await print.result({ ...head, status: 'inconclusive', error_message: lacks, entity: null, action: null });
  return 1;
}
