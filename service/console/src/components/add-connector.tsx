import type { ConsoleSession, NewSetup, Workspace } from 'agent-connectors/wire';
import { useState } from 'preact/hooks';
import { api, fetchAll } from '../data/api.js';
import { useResource } from '../data/use-resource.js';
import { useConsole } from '../session.js';
import { texts } from '../texts/index.js';
import { Dialog, DialogButtons } from './dialog.js';
import { Choice, TextField } from './field.js';
import { TypeMark } from './mark.js';
import { ErrorNotice, Unloaded } from './notice.js';

/** Asks for a vendor and a name, and opens the setup pages. */
export function AddConnector({ close }: { readonly close: () => void }) {
  const { session, feed } = useConsole();
  const workspaces = useResource((signal) => fetchAll<Workspace>('/api/v1/workspaces', { signal }), []);
  const [chosen, setChosen] = useState<string>();
  const [type, setType] = useState<ConsoleSession['types'][number]>();
  const [typedName, setName] = useState<string>();
  const [error, setError] = useState<Error>();
  const names = workspaces.state === 'done' ? workspaces.data.map((one) => one.name) : [];
  const workspace = chosen ?? names[0] ?? '';
  const taken = (feed.connectors ?? []).flatMap((one) => (one.workspace_name === workspace ? [one.name] : []));
  const name = typedName ?? (type ? freeName(type.title, taken) : '');
  const submit = async (workspace_name: string) => {
    try {
      const { setup_url } = await api<NewSetup>('/api/v1/integrations/connectors/setup', {
        method: 'POST',
        json: { workspace_name, name: name.trim(), connector_type: type?.name, console: true },
      });
      location.assign(setup_url);
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return (
    <Dialog title={texts.connectors.add} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit(workspace);
        }}
      >
        <fieldset class="gallery">
          <legend>{texts.connectors.vendor}</legend>
          {session.types.map((one) => (
            <label key={one.name}>
              <input type="radio" name="type" required checked={one === type} onChange={() => setType(one)} />
              <TypeMark name={one.name} />
              <span>
                {one.title}
                <span class="help">{one.description}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <Unloaded resource={workspaces} />
        {workspaces.state === 'done' ? (
          <Choice
            label={texts.workspace}
            value={workspace}
            options={names.map((each) => [each, each])}
            choose={setChosen}
          />
        ) : null}
        <TextField label={texts.name} help={texts.connectors.nameHelp} required value={name} change={setName} />
        {error ? <ErrorNotice error={error} /> : null}
        <DialogButtons submit={texts.connectors.goOn} disabled={workspace === ''} close={close} />
      </form>
    </Dialog>
  );
}

/** The title, numbered if another connector has that name. */
function freeName(title: string, taken: readonly string[]): string {
  for (let number = 1; ; number++) {
    const name = number === 1 ? title : `${title} ${number}`;
    if (!taken.includes(name)) return name;
  }
}
