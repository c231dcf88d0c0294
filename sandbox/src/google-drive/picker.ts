import { googlePicker } from '../google/drive-credentials.js';
import type { TokenGrant } from '../google/token.js';
import { escapeHtml, htmlPage } from '../html.js';
import type { VendorReply, VendorRequest } from '../vendor.js';
import { isVisible } from './access.js';
import type { DriveContext } from './context.js';
import { types } from './mime.js';
import type { FileRow } from './rows.js';

/** Path of the script on https://apis.google.com. */
export const pickerScriptPath = '/js/api.js';

const title = 'Google Drive picker';
/** Enough to choose from; Google's picker scrolls and searches. */
const maxShown = 200;

/**
 * The part of `gapi` and `google.picker` that opens the dialog and receives its result
 * (developers.google.com/workspace/drive/picker/reference).
 */
const script = `(() => {
  const base = new URL('..', document.currentScript.src);
  class DocsView {
    settings = {};
    setIncludeFolders(on) { this.settings.folders = on; return this; }
    setSelectFolderEnabled(on) { this.settings.selectFolders = on; return this; }
    setEnableDrives() { return this; }
    setMimeTypes(types) { this.settings.types = types; return this; }
    setMode() { return this; }
    setOwnedByMe() { return this; }
  }
  class PickerBuilder {
    settings = { features: [], view: {} };
    setAppId(id) { this.settings.app_id = id; return this; }
    setDeveloperKey(key) { this.settings.developer_key = key; return this; }
    setOAuthToken(token) { this.settings.access_token = token; return this; }
    setOrigin(origin) { this.settings.origin = origin; return this; }
    setLocale() { return this; }
    setTitle() { return this; }
    setMaxItems() { return this; }
    enableFeature(feature) { this.settings.features.push(feature); return this; }
    addView(view) { this.settings.view = view.settings; return this; }
    setCallback(callback) { this.callback = callback; return this; }
    build() { return new Picker(this.settings, this.callback); }
  }
  class Picker {
    constructor(settings, callback) { Object.assign(this, { settings, callback }); }
    setVisible(on) {
      this.frame?.remove();
      this.frame = undefined;
      if (!on) return this;
      const frame = document.createElement('iframe');
      const { features, view, origin = location.origin, ...given } = this.settings;
      const query = { ...given, origin, several: features.includes('multiselectEnabled'), ...view };
      // A fragment, so that the token is in no log.
      frame.src = new URL('picker#' + new URLSearchParams(query), base);
      frame.title = '${title}';
      Object.assign(frame.style, { position: 'fixed', inset: '5%', width: '90%', height: '90%', background: '#fff' });
      const receive = ({ source, origin, data }) => {
        if (source !== frame.contentWindow || origin !== base.origin) return;
        if (data.action !== 'loaded') {
          removeEventListener('message', receive);
          this.setVisible(false);
        }
        this.callback?.(data);
      };
      addEventListener('message', receive);
      document.body.append(frame);
      this.frame = frame;
      return this;
    }
    dispose() { this.setVisible(false); }
  }
  const picker = {
    DocsView, PickerBuilder,
    Action: { PICKED: 'picked', CANCEL: 'cancel', LOADED: 'loaded', ERROR: 'error' },
    Document: { ID: 'id', NAME: 'name', MIME_TYPE: 'mimeType' },
    DocsViewMode: { GRID: 'grid', LIST: 'list' },
    Feature: { MULTISELECT_ENABLED: 'multiselectEnabled', SUPPORT_DRIVES: 'sdr' },
    Response: { ACTION: 'action', DOCUMENTS: 'docs' },
    ViewId: { DOCS: 'all', FOLDERS: 'folders' },
  };
  window.gapi = {
    load(names, loaded) {
      window.google = { ...window.google, picker };
      (typeof loaded === 'function' ? loaded : loaded.callback)();
    },
  };
})();
`;

export const pickerScript = (): VendorReply => ({
  status: 200,
  headers: { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' },
  body: script,
});

/** Sends the settings in the fragment as a form. */
const forward = `<form method="post" action="?"></form><script>
for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
  const input = document.forms[0].appendChild(document.createElement('input'));
  Object.assign(input, { type: 'hidden', name, value });
}
document.forms[0].submit();
</script>`;

/** Shows the dialog, or authorizes the application for the chosen files. */
export function answerPicker(
  { method }: VendorRequest,
  form: URLSearchParams,
  grant: (TokenGrant & { readonly context: DriveContext }) | undefined,
): VendorReply {
  if (method !== 'POST') return htmlPage(200, title, forward);
  if (form.get('developer_key') !== googlePicker.developer_key) return problem('The API developer key is invalid.');
  if (!grant) return problem('Sign in to continue: the access token is invalid or has expired.');
  const { context } = grant;
  const everything: DriveContext = { ...context, scopes: new Set(['drive']) };
  const isShown = (file: FileRow) => !context.world.isRoot(file) && !context.world.isTrashed(file);
  const files = [...context.world.files.values()].filter((file) => isShown(file) && isVisible(everything, file, true));
  const action = form.get('action');
  if (action === 'cancel') return send(form, { action: 'cancel' });
  if (action !== 'picked') return dialog(form, files);
  const ids = form.getAll('id');
  const picked = files.filter(({ id, mimeType }) => ids.includes(id) && canBePicked(form, mimeType));
  // Without the application's own project number, the result names files that it cannot read.
  if (form.get('app_id') === grant.project) {
    for (const file of picked) file.pickedBy = [...new Set([...(file.pickedBy ?? []), context.person])];
  }
  const docs = picked.map(({ id, name, mimeType }) => ({ id, name, mimeType, type: 'file', serviceId: 'docs' }));
  return send(form, { action: 'picked', docs });
}

const canBePicked = (form: URLSearchParams, mimeType: string) =>
  mimeType !== types.folder || form.get('selectFolders') === 'true';

function dialog(form: URLSearchParams, files: readonly FileRow[]): VendorReply {
  const hidden = ['access_token', 'app_id', 'developer_key', 'origin', 'selectFolders']
    .map((name) => `<input type="hidden" name="${name}" value="${escapeHtml(form.get(name) ?? '')}">`)
    .join('');
  const kind = form.get('several') === 'true' ? 'checkbox' : 'radio';
  const rows = files
    .filter(({ mimeType }) => mimeType !== types.folder || form.get('folders') === 'true')
    .slice(0, maxShown)
    .map(({ id, name, mimeType }) => {
      const disabled = canBePicked(form, mimeType) ? '' : ' disabled';
      return `<label><input type="${kind}" name="id" value="${escapeHtml(id)}"${disabled}> ${escapeHtml(name)}</label><br>`;
    });
  return htmlPage(
    200,
    title,
    `<form method="post" action="?">${hidden}
<p><button name="action" value="picked">Select</button> <button name="action" value="cancel">Cancel</button></p>
${rows.join('\n')}</form>`,
  );
}

/** Posts the result to the window that contains the dialog. */
function send(form: URLSearchParams, result: object): VendorReply {
  const text = (value: unknown) => JSON.stringify(value).replaceAll('<', '\\u003c');
  return htmlPage(
    200,
    title,
    `<script>parent.postMessage(${text(result)}, ${text(form.get('origin') ?? '')});</script>`,
  );
}

const problem = (message: string) => htmlPage(403, title, `<p role="alert">${escapeHtml(message)}</p>`);
