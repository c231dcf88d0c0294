import type { SetupGuide } from '../../src/authoring.js';

type Picker = NonNullable<SetupGuide['picker']>;

/** Opens Google's picker (developers.google.com/workspace/drive/picker/guides/web-picker). */
const open = `(settings, picked) => gapi.load('picker', () => {
  const { DocsView, Feature, PickerBuilder, ViewId } = google.picker;
  const view = new DocsView(ViewId.DOCS).setIncludeFolders(true).setSelectFolderEnabled(false);
  new PickerBuilder()
    .setAppId(settings.app_id)
    .setDeveloperKey(settings.developer_key)
    .setOAuthToken(settings.access_token)
    .setOrigin(location.origin)
    .setLocale(settings.locale)
    .setTitle(settings.title)
    .enableFeature(Feature.MULTISELECT_ENABLED)
    .enableFeature(Feature.SUPPORT_DRIVES)
    .addView(view)
    .setCallback(({ action, docs }) => {
      if (action === 'picked') picked(docs.map(({ id }) => id));
    })
    .build()
    .setVisible(true);
})`;

/** Google's picker, with the scope that needs no security assessment. */
export const picker: Omit<Picker, 'name'> = {
  scope: 'https://www.googleapis.com/auth/drive.file',
  field: 'file_ids',
  script: 'https://apis.google.com/js/api.js',
  // As in Google's own example (github.com/googleworkspace/drive-picker-element, examples/csp), without what only its
  // sign-in needs.
  policy: {
    'script-src': ['https://apis.google.com'],
    'frame-src': ['https://docs.google.com', 'https://drive.google.com', 'https://accounts.google.com'],
    'connect-src': ['https://*.googleapis.com'],
    'img-src': ['https://*.googleusercontent.com'],
    'style-src': ["'unsafe-inline'"],
  },
  open,
  // Google documents access to chosen files only (developers.google.com/workspace/drive/api/guides/api-specific-auth).
  note: 'Folders can be opened but not chosen: Google grants access to the chosen files, not to the contents of a folder.',
};
