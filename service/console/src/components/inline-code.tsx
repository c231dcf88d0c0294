import { Fragment } from 'preact';

/** Text with backticked names rendered as code. */
export const InlineCode = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={part}>{part}</code> : part))}</>
);

/** A long name such as `issues.context_store_search`, breakable between its parts. */
export const Name = ({ text }: { readonly text: string }) => (
  <>
    {text.split(/(?<=[._])/).map((part, index) => (
      <Fragment key={index}>
        {part}
        <wbr />
      </Fragment>
    ))}
  </>
);
