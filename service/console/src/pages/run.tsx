import type { ActionDescription, ConnectorDescription, ConnectorOverview, PlannedWrite } from 'agent-connectors/wire';
import { useEffect, useState } from 'preact/hooks';
import { Code } from '../components/code.js';
import { Dialog } from '../components/dialog.js';
import { Choice, TextField } from '../components/field.js';
import { InlineCode } from '../components/inline-code.js';
import { Empty, ErrorNotice, Loading } from '../components/notice.js';
import { type Outcome, ResultView } from '../components/result.js';
import { Switch } from '../components/switch.js';
import { api, connectorPath } from '../data/api.js';
import { planAction, type Run, run } from '../data/execute.js';
import { isFields, recordPath, wordsOf } from '../data/record.js';
import { useResource } from '../data/use-resource.js';
import { visibleJson, visibleText } from '../data/visible-text.js';
import { commandOf, curlOf, typescriptOf } from '../form/samples.js';
import { JsonField, SchemaFields } from '../form/schema-field.js';
import { useChoices } from '../router.js';
import { baseUrlOf, useConsole } from '../session.js';
import { texts } from '../texts/index.js';

/** Runs any action of the connector, with a form generated from its parameters. */
export function RunTab({ connector }: { readonly connector: ConnectorOverview }) {
  const description = useResource(
    (signal) => api<ConnectorDescription>(connectorPath(connector.id, '/describe'), { signal }),
    [connector.id],
  );
  const [query, change] = useChoices();
  const [entity, action] = [query.get('entity'), query.get('action')];
  if (description.state === 'loading') return <Loading />;
  if (description.state === 'failed') return <ErrorNotice error={description.error} retry={description.reload} />;
  const { entities } = description.data;
  const selectedEntity = entities.find(({ name }) => name === entity) ?? entities[0];
  const spec = selectedEntity?.actions.find(({ name }) => name === action) ?? selectedEntity?.actions[0];
  if (!selectedEntity || !spec) return <Empty title={texts.run.noActions} />;
  return (
    <>
      <div class="row">
        <Choice
          label={texts.entity}
          value={selectedEntity.name}
          options={entities.filter(({ actions }) => actions.length > 0).map(({ name }) => [name, wordsOf(name)])}
          choose={(name) => change({ entity: name, action: '', params: '' })}
        />
        <Choice
          label={texts.action}
          value={spec.name}
          options={selectedEntity.actions.map(({ name, effect }) => [
            name,
            effect === 'read' ? wordsOf(name) : `${wordsOf(name)} (${effect})`,
          ])}
          choose={(name) => change({ entity: selectedEntity.name, action: name, params: '' })}
        />
      </div>
      <p class="quiet">
        <InlineCode text={spec.description} />
      </p>
      <ActionForm
        key={`${selectedEntity.name}.${spec.name}`}
        connector={connector}
        entity={selectedEntity.name}
        spec={spec}
      />
    </>
  );
}

interface ActionFormProps {
  readonly connector: ConnectorOverview;
  readonly entity: string;
  readonly spec: ActionDescription;
}

type Params = Readonly<Record<string, unknown>> | undefined;

function ActionForm({ connector, entity, spec }: ActionFormProps) {
  const { session, organization } = useConsole();
  const [query, change] = useChoices();
  const [params, setParams] = useState<Params>(() => readParams(query.get('params')));
  const [view, setView] = useState<'form' | 'json'>('form');
  const [intent, setIntent] = useState('');
  const [planned, setPlanned] = useState<Run & { readonly plan: PlannedWrite['plan'] }>();
  const [busy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const [error, setError] = useState<Error>();
  const writes = spec.effect !== 'read';
  const isReplicated = connector.entities.some((each) => each.entity === entity && each.ready_for_search);
  const hasParams = Object.keys(spec.params.properties ?? {}).length > 0;
  const attempt = async (work: () => Promise<void>) => {
    setPlanned(undefined);
    setBusy(true);
    setError(undefined);
    await work().catch(setError);
    setBusy(false);
  };
  const call: Run = { id: connector.id, entity, spec, params, intent };
  const start = (one: Run) => attempt(async () => setOutcome(await run(one)));
  const prepare = () => attempt(async () => setPlanned({ ...call, plan: await planAction(call) }));
  // An error applies only to the parameters for which it was reported.
  useEffect(() => setError(undefined), [params]);
  const hasSeveralOrganizations = session.organizations.length > 1;
  const sample = {
    connector,
    entity,
    action: spec.name,
    params,
    binary: spec.binary,
    baseUrl: baseUrlOf(session),
    organization: hasSeveralOrganizations ? organization : undefined,
  };
  return (
    <div class="beside">
      <form
        class="panel"
        onSubmit={(event) => {
          event.preventDefault();
          // Only what was run is in the URL, so that going back does not stop at each letter.
          change({ entity, action: spec.name, params: params ? JSON.stringify(params) : '' });
          if (writes) prepare();
          else start(call);
        }}
      >
        {hasParams ? (
          <Switch
            label={texts.run.input}
            value={view}
            options={[
              ['form', texts.run.form],
              ['json', 'JSON'],
            ]}
            choose={setView}
          />
        ) : (
          <p class="quiet">{texts.run.noParams}</p>
        )}
        {view === 'json' ? (
          <JsonField label={texts.run.params} rows={10} value={params} change={(value) => setParams(value as Params)} />
        ) : (
          <div class="fields">
            <SchemaFields schema={spec.params} value={params} change={setParams} />
          </div>
        )}
        {writes ? (
          <TextField
            label={texts.reason}
            help={texts.run.reasonHelp}
            maxLength={512}
            value={intent}
            change={setIntent}
          />
        ) : null}
        <div class="buttons">
          <button type="submit" class={spec.effect === 'destroy' ? 'danger' : 'primary'} disabled={busy}>
            {busy
              ? texts.run.running
              : writes
                ? texts.run.runNamed(wordsOf(spec.name))
                : spec.binary
                  ? texts.run.download
                  : texts.run.run}
          </button>
        </div>
      </form>
      {planned ? (
        <Dialog
          title={texts.run.confirmTitle(wordsOf(spec.name), wordsOf(entity), connector.title)}
          close={() => setPlanned(undefined)}
        >
          <p>
            {texts.run.willBeSent(connector.title, connector.name)}
            {spec.effect === 'destroy' ? ` ${texts.run.deletesData}` : ''}
          </p>
          <PlannedParams params={planned.params} />
          <PlannedRequest plan={planned.plan} />
          <div class="buttons">
            <button
              type="button"
              class={spec.effect === 'destroy' ? 'danger' : 'primary'}
              onClick={() => start(planned)}
            >
              {texts.run.send}
            </button>
            <button type="button" onClick={() => setPlanned(undefined)}>
              {texts.cancel}
            </button>
          </div>
        </Dialog>
      ) : null}
      <div>
        <div aria-live="polite">
          {error ? <ErrorNotice error={error} /> : null}
          {outcome && !error ? (
            <ResultView
              outcome={outcome}
              linkOf={isReplicated ? (row) => recordPath(connector.id, entity, row) : undefined}
            />
          ) : null}
        </div>
        <h2>{texts.codeBlock}</h2>
        <Code label="TypeScript" text={typescriptOf(sample)} />
        <Code label={texts.run.commandLine} text={commandOf(sample)} />
        <Code label="curl" text={curlOf(sample)} />
      </div>
    </div>
  );
}

/** The parameters in a URL; anything else is ignored. */
function readParams(written: string | null): Params {
  try {
    const params: unknown = JSON.parse(written ?? 'null');
    return isFields(params) ? params : undefined;
  } catch {
    return undefined;
  }
}

/** All parameters of a write, including empty ones, which clear fields. */
const PlannedParams = ({ params = {} }: { readonly params: Params }) => (
  <dl class="record">
    {Object.entries(params).map(([name, value]) => (
      <div key={name}>
        <dt title={name}>{wordsOf(name)}</dt>
        <dd class="exact">{typeof value === 'string' ? visibleText(value) : visibleJson(value)}</dd>
      </div>
    ))}
  </dl>
);

/** The exact request that a write sends. */
function PlannedRequest({ plan: { request, digest } }: { readonly plan: PlannedWrite['plan'] }) {
  return (
    <details>
      <summary>{texts.run.showRequest}</summary>
      <p class="request">
        <strong>{request.method}</strong> <code>{request.url}</code>
      </p>
      {request.body === null ? (
        <p class="quiet">{texts.run.noBody}</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be keyboard-accessible.
        <section class="sent" tabIndex={0} aria-label={texts.run.body}>
          <pre>{typeof request.body === 'string' ? request.body : JSON.stringify(request.body, null, 2)}</pre>
        </section>
      )}
      <p class="quiet">
        {texts.run.exactly} SHA-256 <code title={digest}>{digest.slice(0, 16)}…</code>
      </p>
    </details>
  );
}
