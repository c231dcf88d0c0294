import type { Texts } from '../texts/index.js';

/** Names with irregular spelling. */
const specialLabels: Readonly<Record<string, string>> = {
  api_key: 'API key',
  access_key: 'Access key',
  oauth: 'OAuth application',
  client_id: 'Client ID',
  credentials_json: 'Service account key (JSON)',
  subject: 'Act on behalf of this user',
  base_url: 'API address',
};

/** An API name as a readable label. */
export function labelOf(name: string): string {
  const words = specialLabels[name] ?? name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** An entity name as a readable label. */
export const entityLabel = ({ entities }: Texts, name: string): string => entities[name] ?? labelOf(name);
