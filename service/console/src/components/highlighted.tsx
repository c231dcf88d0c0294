const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** A text with matching words highlighted, in any inflection. */
export function Highlighted({ text, words }: { readonly text: string; readonly words: string }) {
  const stems = wordsIn(words)
    .filter((word) => word.length > 2)
    .map((word) => (word.length > 5 ? word.slice(0, -2) : word));
  const parts = text.split(/([\p{L}\p{N}]+)/u);
  return (
    <>
      {parts.map((part, index) =>
        stems.some((stem) => part.toLowerCase().startsWith(stem)) ? <mark key={index}>{part}</mark> : part,
      )}
    </>
  );
}
