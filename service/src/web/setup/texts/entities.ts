/** Readable names for kinds of records, by connector entity, in English and German. */
const labels: Readonly<Record<string, readonly [en: string, de: string]>> = {
  // Linear
  issues: ['Issues', 'Vorgänge'],
  projects: ['Projects', 'Projekte'],
  teams: ['Teams', 'Teams'],
  workflow_states: ['Workflow states', 'Status'],
  users: ['Users', 'Personen'],
  comments: ['Comments', 'Kommentare'],
  // Gong
  calls: ['Calls', 'Anrufe'],
  calls_extensive: ['Call details', 'Anrufdetails'],
  call_audio: ['Call audio', 'Tonaufnahmen von Anrufen'],
  call_video: ['Call video', 'Videoaufnahmen von Anrufen'],
  workspaces: ['Workspaces', 'Arbeitsbereiche'],
  call_transcripts: ['Call transcripts', 'Anruftranskripte'],
  stats_activity_aggregate: ['Activity totals', 'Aktivität gesamt'],
  stats_activity_day_by_day: ['Daily activity', 'Aktivität nach Tagen'],
  stats_interaction: ['Interaction statistics', 'Gesprächsstatistik'],
  settings_scorecards: ['Scorecards', 'Bewertungsbögen'],
  settings_trackers: ['Trackers', 'Tracker'],
  library_folders: ['Library folders', 'Bibliotheksordner'],
  library_folder_content: ['Library content', 'Bibliotheksinhalte'],
  coaching: ['Coaching', 'Coaching'],
  stats_activity_scorecards: ['Scorecard activity', 'Aktivität zu Bewertungsbögen'],
  // Granola
  notes: ['Notes', 'Notizen'],
  // Google Drive
  files: ['Files', 'Dateien'],
  files_upload: ['Files', 'Dateien'],
  files_export: ['Files', 'Dateien'],
  drives: ['Shared drives', 'Geteilte Ablagen'],
  permissions: ['Sharing permissions', 'Freigaben'],
  replies: ['Replies', 'Antworten'],
  revisions: ['Revisions', 'Versionen'],
  changes: ['Changes', 'Änderungen'],
  changes_start_page_token: ['Changes', 'Änderungen'],
  about: ['Account information', 'Kontoinformationen'],
  // Google Analytics
  website_overview: ['Website overview', 'Website-Übersicht'],
  daily_active_users: ['Daily active users', 'Täglich aktive Nutzer'],
  weekly_active_users: ['Weekly active users', 'Wöchentlich aktive Nutzer'],
  four_weekly_active_users: ['28-day active users', 'In vier Wochen aktive Nutzer'],
  traffic_sources: ['Traffic sources', 'Besucherquellen'],
  pages: ['Pages', 'Seiten'],
  devices: ['Devices', 'Geräte'],
  locations: ['Locations', 'Orte'],
};

/** Labels of entities in one language. */
export const entityLabels = (language: 'en' | 'de'): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(labels).map(([name, [en, de]]) => [name, language === 'en' ? en : de]));
