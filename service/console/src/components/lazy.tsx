import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrorNotice, Loading } from './notice.js';

/** A component that is loaded when it is first shown, so that the first page loads less. */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): (props: Props) => preact.JSX.Element {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [error, setError] = useState<Error>();
    const [, setShown] = useState(loaded !== undefined);
    useEffect(() => {
      if (loaded) return;
      load().then((component) => {
        loaded = component;
        setShown(true);
      }, setError);
    }, []);
    if (error) return <ErrorNotice error={error} retry={() => location.reload()} />;
    const Component = loaded;
    return Component ? <Component {...props} /> : <Loading />;
  };
}
