import type { ConnectorOverview, Policy } from 'agent-connectors/wire';
import { useState } from 'preact/hooks';
import { api } from '../data/api.js';
import { texts } from '../texts/index.js';
import { Choice, Field } from './field.js';
import { ErrorNotice } from './notice.js';

interface PolicyFormProps {
  readonly rules: readonly Policy[];
  readonly workspaces: readonly string[];
  readonly connectors: readonly ConnectorOverview[];
  readonly onChange: () => void;
}

/** Sets the policy for a workspace or one of its connectors. */
export function PolicyForm({ rules, workspaces, connectors, onChange }: PolicyFormProps) {
  const [workspace, setWorkspace] = useState(workspaces[0] ?? '');
  const [connector, setConnector] = useState('');
  const rule = rules.find((each) => each.workspace_name === workspace && (each.connector_id ?? '') === connector);
  const workspaceConnectors = connectors.filter(({ workspace_name }) => workspace_name === workspace);
  return (
    <div class="panel">
      <h3>{texts.policies.set}</h3>
      <div class="row">
        <Choice
          label={texts.workspace}
          value={workspace}
          options={workspaces.map((name) => [name, name])}
          choose={(name) => {
            setWorkspace(name);
            setConnector('');
          }}
        />
        <Choice
          label={texts.connector}
          value={connector}
          options={[
            ['', texts.policies.allConnectors],
            ...workspaceConnectors.map(({ id, name }) => [id, name] as const),
          ]}
          choose={setConnector}
        />
      </div>
      <Rule
        key={`${workspace} ${connector} ${rule?.updated_at ?? ''}`}
        rule={rule}
        target={{ workspace_name: workspace, ...(connector !== '' && { connector_id: connector }) }}
        onChange={onChange}
      />
    </div>
  );
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

type Writes = 'allow' | 'approval' | 'deny';

interface RuleProps {
  readonly rule: Policy | undefined;
  readonly target: object;
  readonly onChange: () => void;
}

function Rule({ rule, target, onChange }: RuleProps) {
  const stored: Writes = rule?.read_only ? 'deny' : rule?.approval ? 'approval' : 'allow';
  const [writes, setWrites] = useState(stored);
  const [limited, setLimited] = useState(rule !== undefined && rule.allow !== null);
  const [patterns, setPatterns] = useState(rule?.allow?.join('\n') ?? '');
  const [approval, setApproval] = useState(rule?.approval?.join('\n') ?? '');
  const [approvalBy, setApprovalBy] = useState<string>(rule?.approval_by ?? 'other');
  const [error, setError] = useState<Error>();
  const [statusText, setStatusText] = useState('');
  const approvals = linesOf(approval);
  const isUnchanged =
    writes === stored &&
    limited === (rule !== undefined && rule.allow !== null) &&
    patterns === (rule?.allow?.join('\n') ?? '') &&
    approval === (rule?.approval?.join('\n') ?? '') &&
    approvalBy === (rule?.approval_by ?? 'other');
  const save = async (event: Event) => {
    event.preventDefault();
    const json = {
      ...target,
      read_only: writes === 'deny',
      allow: limited ? linesOf(patterns) : null,
      // Denied writes keep their approval rules, which apply once the writes are allowed again.
      ...(writes !== 'allow' && { approval: approvals.length > 0 ? approvals : null, approval_by: approvalBy }),
    };
    try {
      await api('/api/v1/policies', { method: 'PUT', json });
      setError(undefined);
      setStatusText(writes !== 'allow' || limited ? texts.policies.saved : texts.policies.removed);
      onChange();
    } catch (failure) {
      setError(failure as Error);
    }
  };
  return (
    <form onSubmit={save}>
      <fieldset class="picks">
        <legend>{texts.policies.writes}</legend>
        {texts.policies.writeRules.map(([value, title]) => (
          <label key={value}>
            <input
              type="radio"
              name="writes"
              checked={writes === value}
              onChange={() => {
                setWrites(value);
                if (value === 'approval' && approvals.length === 0) setApproval('*.*');
              }}
            />{' '}
            {title}
          </label>
        ))}
      </fieldset>
      <p>
        <label>
          <input type="checkbox" checked={limited} onChange={() => setLimited(!limited)} /> {texts.policies.limit}
        </label>
      </p>
      {limited ? (
        <Field
          label={texts.policies.allowed}
          help={texts.policies.patternHelp('issues.list, *.get, linear:comments.*')}
        >
          {(control) => (
            <textarea
              {...control}
              class="mono"
              rows={4}
              spellcheck={false}
              value={patterns}
              onInput={({ currentTarget }) => setPatterns(currentTarget.value)}
            />
          )}
        </Field>
      ) : null}
      {writes === 'approval' ? (
        <>
          <Field
            label={texts.policies.needApproval}
            help={texts.policies.patternHelp('*.delete, linear:issues.update')}
          >
            {(control) => (
              <textarea
                {...control}
                class="mono"
                rows={3}
                spellcheck={false}
                value={approval}
                onInput={({ currentTarget }) => setApproval(currentTarget.value)}
              />
            )}
          </Field>
          <Choice
            label={texts.policies.approvedBy}
            value={approvalBy}
            options={texts.policies.approvers}
            choose={setApprovalBy}
          />
        </>
      ) : null}
      {error ? <ErrorNotice error={error} /> : null}
      <div class="buttons">
        <button
          type="submit"
          class="primary"
          disabled={isUnchanged || (writes === 'approval' && approvals.length === 0)}
        >
          {texts.policies.save}
        </button>
        <span role="status">{statusText}</span>
      </div>
    </form>
  );
}
