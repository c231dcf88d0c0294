import { texts } from '../texts/index.js';
import { singularOf, wordsOf } from './record.js';

/** An action in words: `issues.create` is "Create issue". */
export function actionName(entity: string, action: string): string {
  const isMany = /^(list|count|batch)|search|All$/.test(action);
  const what = (isMany ? wordsOf(entity) : singularOf(entity)).toLowerCase();
  return action === 'context_store_search' ? texts.audit.search(what) : `${wordsOf(action)} ${what}`;
}
