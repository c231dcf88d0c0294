import { useConsole } from '../session.js';

/** A connector type's icon. */
export function TypeMark({ name }: { readonly name: string }) {
  const mark = useConsole().session.types.find((type) => type.name === name)?.mark;
  return mark ? (
    <svg class="mark" viewBox="0 0 36 36" aria-hidden="true">
      <rect width="36" height="36" rx="8" fill={mark.color} />
      <text x="18" y="24" fill="#fff" text-anchor="middle">
        {mark.letters}
      </text>
    </svg>
  ) : null;
}
