import type { ComponentChildren } from 'preact';
import { ApiError } from '../data/api.js';

/** Something that went wrong, with what to do about it. */
export function ErrorNotice({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  const { hint, errors } = error instanceof ApiError ? error : { hint: null, errors: [] };
  return (
    <div class="notice bad" role="alert">
      <p>{error.message}</p>
      {errors.length > 0 ? (
        <ul>
          {errors.slice(0, 8).map(({ field, message }) => (
            <li key={field + message}>
              {field === '' ? null : <code>{field}</code>} {message}
            </li>
          ))}
        </ul>
      ) : null}
      {hint === null ? null : <p class="quiet">{hint}</p>}
      {retry ? (
        <button type="button" onClick={retry}>
          Try again
        </button>
      ) : null}
    </div>
  );
}

/** What stands where a list has nothing in it. */
export const Empty = ({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="notice">
    <p>
      <strong>{title}</strong>
    </p>
    {children}
  </div>
);

/** What stands where something is on its way; in the place that it will take. */
export const Loading = ({ what }: { readonly what: string }) => (
  <p class="loading" role="status">
    Loading {what} …
  </p>
);
