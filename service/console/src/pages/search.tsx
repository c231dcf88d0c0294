import { Empty, ErrorNotice, Loading } from '../components/notice.js';
import { Switch } from '../components/switch.js';
import { useChoices, useTitle } from '../router.js';
import { useConsole } from '../session.js';
import { texts } from '../texts/index.js';
import { ConditionSearch } from './search-conditions.js';
import { TextSearch } from './search-text.js';

/** Searches the replica, either by text across all connectors or by conditions on one entity. */
export function SearchPage() {
  const { connectors, error } = useConsole().feed;
  const [query, change] = useChoices();
  const mode = query.get('by') === 'conditions' ? 'conditions' : 'words';
  useTitle(query.get('q') ?? '', texts.search.title);
  return (
    <>
      <h1>{texts.search.title}</h1>
      {error ? <ErrorNotice error={error} /> : null}
      {!connectors && !error ? <Loading /> : null}
      {connectors?.length === 0 ? (
        <Empty title={texts.search.nothing}>
          <p>{texts.search.nothingText}</p>
        </Empty>
      ) : null}
      {connectors && connectors.length > 0 ? (
        <>
          <Switch
            label={texts.search.mode}
            value={mode}
            options={[
              ['words', texts.search.byWords],
              ['conditions', texts.search.byConditions],
            ]}
            choose={(by) => change({ by: by === 'words' ? '' : by, q: '', where: '' })}
          />
          {mode === 'words' ? <TextSearch connectors={connectors} /> : <ConditionSearch connectors={connectors} />}
        </>
      ) : null}
    </>
  );
}
