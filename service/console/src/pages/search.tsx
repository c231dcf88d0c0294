import { useState } from 'preact/hooks';
import { Empty, ErrorNotice, Loading } from '../components/notice.js';
import { Switch } from '../components/switch.js';
import { useConsole } from '../session.js';
import { ConditionSearch } from './search-conditions.js';
import { TextSearch } from './search-text.js';

/** Searches the replica: by words over all connectors, or by conditions in one entity. */
export function SearchPage() {
  const { connectors, error } = useConsole().feed;
  const [mode, setMode] = useState<'words' | 'conditions'>('words');
  return (
    <>
      <h1>Search</h1>
      {error ? <ErrorNotice error={error} /> : null}
      {!connectors && !error ? <Loading what="connectors" /> : null}
      {connectors?.length === 0 ? (
        <Empty title="Nothing to search yet">
          <p>Add a connector. Its records become searchable during the first sync.</p>
        </Empty>
      ) : null}
      {connectors && connectors.length > 0 ? (
        <>
          <Switch
            label="Search mode"
            value={mode}
            options={[
              ['words', 'By words'],
              ['conditions', 'By conditions'],
            ]}
            choose={setMode}
          />
          {mode === 'words' ? <TextSearch connectors={connectors} /> : <ConditionSearch connectors={connectors} />}
        </>
      ) : null}
    </>
  );
}
