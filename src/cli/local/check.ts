import type { CommandCall } from '../arguments/specification.js';
import { asConnectorError } from '../failure.js';
import { affectsAllEntities, fixHint } from './fix-hint.js';
import { guideOf, openLocal, requestedClass } from './open.js';
import { probeOf, readUserParameters } from './probes.js';

/** Performs the first cheap read that needs no parameters; the exit code shows whether the credentials work. */
export async function checkLocal(call: CommandCall): Promise<number> {
  const { argument, print, environment } = call;
  const Class = await requestedClass(call);
  const { connector, mode, variables } = await openLocal(Class, call);
  const guide = await guideOf(Class);
  const userParameters = readUserParameters(guide, argument, environment.env);
  const context = { guide, userParameters, records: new Map(), now: Date.now() };
  const head = { connector: Class.manifest.name, mode, variables };
  let skipped: string | undefined;
  for (const entity of Class.describe().entities) {
    const probe = probeOf(entity, context);
    if ('skipReason' in probe) {
      skipped ??= `${entity.name} cannot be read: ${probe.skipReason}.`;
      continue;
    }
    const result = { entity: entity.name, action: probe.action };
    try {
      await connector.execute(entity.name, probe.action, probe.params, { signal: environment.signal });
      await print.result({ ...head, status: 'succeeded', error_message: null, ...result });
      return 0;
    } catch (thrown) {
      environment.signal.throwIfAborted();
      const error = asConnectorError(thrown);
      const { code, message, retryable } = error;
      const status = retryable ? 'inconclusive' : 'failed';
      await print.result({
        ...head,
        status,
        error_message: message,
        code,
        fix: fixHint(error, call.flags),
        ...result,
      });
      return status === 'inconclusive' ? 1 : affectsAllEntities(error) || code !== 'invalid_params' ? 2 : 1;
    }
  }
  const error_message = skipped ?? 'No entity to read.';
  await print.result({ ...head, status: 'inconclusive', error_message, entity: null, action: null });
  return 1;
}
