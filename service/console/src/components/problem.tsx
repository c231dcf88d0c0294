import type { ConnectorOverview, NewSetup } from 'agent-connectors/wire';
import { api, connectorPath } from '../data/api.js';
import { useAction } from '../data/use-action.js';
import { visibleText } from '../data/visible-text.js';
import { texts } from '../texts/index.js';
import { ErrorNotice } from './notice.js';

/** Opens the pages where a user enters new credentials. */
export async function enterCredentials(id: string, any_account = false): Promise<void> {
  const { setup_url } = await api<NewSetup>(connectorPath(id, '/renew'), {
    method: 'POST',
    json: { any_account },
  });
  location.assign(setup_url);
}

/** Whether new credentials are enough to fix the connector. */
export const needsCredentials = ({ health }: ConnectorOverview): boolean =>
  health === 'needs_reauthorization' || health === 'no_credentials';

/** The error's message without its code. */
export const reasonOf = (error: string): string => visibleText(error.replace(/^[a-z_]+: /, ''));

/** Why the connector failed: an entity's error or, failing that, the job's. */
export function causeOf({ job, entities }: ConnectorOverview): string | undefined {
  const error = entities.find((one) => one.error !== null)?.error ?? job?.error;
  return error ? reasonOf(error) : undefined;
}

/** The button that fixes a connector. */
export function FixButton({ connector }: { readonly connector: ConnectorOverview }) {
  const { id, health, name } = connector;
  const { busy, error, run } = useAction();
  const isCredentials = needsCredentials(connector);
  const fix = () => (isCredentials ? enterCredentials(id) : api(connectorPath(id, '/sync'), { method: 'POST' }));
  const label =
    health === 'no_credentials' ? texts.enterCredentials : isCredentials ? texts.newCredentials : texts.syncAgain;
  return (
    <>
      <button
        type="button"
        class="primary"
        disabled={busy}
        aria-label={texts.forConnector(label, visibleText(name))}
        onClick={() => run(fix)}
      >
        {label}
      </button>
      {error ? <ErrorNotice error={error} /> : null}
    </>
  );
}

/** What is wrong with a connector, with the button that fixes it. */
export function Problem({ connector }: { readonly connector: ConnectorOverview }) {
  const { health, title } = connector;
  const words = texts.problems[health]?.(title);
  if (words === undefined) return null;
  const isNew = health === 'no_credentials';
  const cause = isNew ? texts.setupText(title) : causeOf(connector);
  return (
    <section class={isNew ? 'notice' : 'notice bad'} aria-label={words}>
      <p>
        <strong>{words}</strong>
      </p>
      {cause === undefined ? null : <p class="quiet">{cause}</p>}
      <div class="buttons">
        <FixButton connector={connector} />
      </div>
    </section>
  );
}
