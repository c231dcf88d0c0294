import { useState } from 'preact/hooks';
import { api, fetchAll } from '../data/api.js';
import { useResource } from '../data/use-resource.js';
import type { Workspace } from '../data/wire.js';
import { texts } from '../texts/index.js';
import { Dialog } from './dialog.js';
import { Choice, Field } from './field.js';
import { ErrorNotice, Loading } from './notice.js';

/** Asks for a name and opens the setup pages. */
export function AddConnector({ close }: { readonly close: () => void }) {
  const workspaces = useResource((signal) => fetchAll<Workspace>('/api/v1/workspaces', { signal }), []);
  const [chosen, setChosen] = useState<string>();
  const [name, setName] = useState('');
  const [error, setError] = useState<Error>();
  const submit = async (workspace_name: string) => {
    try {
      const { setup_url } = await api<{ setup_url: string }>('/api/v1/integrations/connectors/setup', {
        method: 'POST',
        json: { workspace_name, name: name.trim(), console: true },
      });
      location.assign(setup_url);
    } catch (failure) {
      setError(failure as Error);
    }
  };
  const names = workspaces.state === 'done' ? workspaces.data.map((one) => one.name) : [];
  const workspace = chosen ?? names[0] ?? '';
  return (
    <Dialog title={texts.connectors.add} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit(workspace);
        }}
      >
        {workspaces.state === 'loading' ? <Loading /> : null}
        {workspaces.state === 'failed' ? <ErrorNotice error={workspaces.error} retry={workspaces.reload} /> : null}
        {workspaces.state === 'done' ? (
          <Choice
            label={texts.workspace}
            value={workspace}
            options={names.map((each) => [each, each])}
            choose={setChosen}
          />
        ) : null}
        <Field label={texts.name} help={texts.connectors.nameHelp}>
          {(control) => (
            <input {...control} required value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
          )}
        </Field>
        {error ? <ErrorNotice error={error} /> : null}
        <div class="buttons">
          <button type="submit" class="primary" disabled={workspace === ''}>
            {texts.connectors.goOn}
          </button>
          <button type="button" onClick={close}>
            {texts.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
