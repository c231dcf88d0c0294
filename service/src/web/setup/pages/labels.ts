/** Names with irregular spelling. */
const specialLabels: Readonly<Record<string, string>> = {
  api_key: 'API key',
  access_key: 'Access key',
  oauth: 'OAuth application',
  client_id: 'Client ID',
  credentials_json: 'Key file',
  subject: 'Act for the user',
  base_url: 'API address',
  calls_extensive: 'Call details',
  settings_scorecards: 'Scorecards',
  stats_activity_scorecards: 'Scorecard answers',
};

/** An API name as a label for people. */
export function labelOf(name: string): string {
  const words = specialLabels[name] ?? name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A text with final punctuation. */
export const sentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);
