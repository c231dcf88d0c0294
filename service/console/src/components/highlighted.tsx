const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const stemsOf = (words: string): string[] =>
  wordsIn(words)
    .filter((word) => word.length > 2)
    .map((word) => (word.length > 5 ? word.slice(0, -2) : word));

/** The text starting at the first line that contains one of the words. */
export function fromFirstMatch(text: string, words: string): string {
  const stems = stemsOf(words);
  const lines = text.split('\n');
  const first = lines.findIndex((line) => wordsIn(line).some((word) => stems.some((stem) => word.startsWith(stem))));
  return lines.slice(Math.max(0, first)).join('\n');
}

/** Text with matching words highlighted, including inflected forms. */
export function Highlighted({ text, words }: { readonly text: string; readonly words: string }) {
  const stems = stemsOf(words);
  const parts = text.split(/([\p{L}\p{N}]+)/u);
  return (
    <>
      {parts.map((part, index) =>
        stems.some((stem) => part.toLowerCase().startsWith(stem)) ? <mark key={index}>{part}</mark> : part,
      )}
    </>
  );
}
