import type { ComponentChildren } from 'preact';
import { ApiError } from '../data/api.js';
import type { Resource } from '../data/use-resource.js';
import { texts } from '../texts/index.js';

/** An error with its hint and an optional retry button. */
export function ErrorNotice({ error, retry }: { readonly error: Error; readonly retry?: () => void }) {
  const { hint, errors } = error instanceof ApiError ? error : { hint: null, errors: [] };
  return (
    <div class="notice bad" role="alert">
      <p>{error.message}</p>
      {errors.length > 0 ? (
        <ul>
          {errors.slice(0, 8).map(({ message }) => (
            <li key={message}>{message}</li>
          ))}
        </ul>
      ) : null}
      {hint === null ? null : <p class="quiet">{hint}</p>}
      {retry ? (
        <button type="button" onClick={retry}>
          {texts.tryAgain}
        </button>
      ) : null}
    </div>
  );
}

/** Shown instead of an empty list. */
export const Empty = ({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="notice">
    <p>
      <strong>{title}</strong>
    </p>
    {children}
  </div>
);

/** Shown while data is loading. */
export const Loading = () => (
  <div class="loading" role="status">
    <span class="hidden">{texts.loading}</span>
    <span class="skeleton" />
    <span class="skeleton" />
    <span class="skeleton" />
  </div>
);

/** Shown in place of a resource that is loading or failed to load. */
export function Unloaded({ resource }: { readonly resource: Resource<unknown> }) {
  if (resource.state === 'loading') return <Loading />;
  return resource.state === 'failed' ? <ErrorNotice error={resource.error} retry={resource.reload} /> : null;
}
