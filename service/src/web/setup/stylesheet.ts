/** Stylesheet of the setup pages: light or dark by system preference, usable at widths of 360 pixels and up. */
export const stylesheet = `
:root {
  color-scheme: light dark;
  --ink: #1c1e21; --soft: #5a6068; --paper: #ffffff; --page: #f3f4f6; --line: #8a919b;
  --accent: #1d4ed8; --on-accent: #ffffff; --bad: #b42318; --bad-paper: #fef3f2; --good: #146c43;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #eceef1; --soft: #b3bac3; --paper: #1b1e23; --page: #121418; --line: #79818c;
    --accent: #8ab4ff; --on-accent: #0b1220; --bad: #ff9b91; --bad-paper: #3a1a17; --good: #6fdca8;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 1rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; overflow-wrap: anywhere;
}
main {
  max-width: 30rem; margin: 12vh auto 1rem; padding: 1.25rem; background: var(--paper);
  border: 1px solid var(--line); border-radius: .5rem;
}
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 1.5rem 0 .25rem; font-size: 1.125rem; }
p, ul { margin: .5rem 0; }
ol { margin: .25rem 0; padding-left: 1.5rem; }
footer { max-width: 30rem; margin: 0 auto; text-align: center; }
@media (max-width: 40rem) { main { margin-top: 0; } }
.brand { display: flex; gap: .5rem; align-items: center; margin: 0 0 1rem; }
.brand img { max-width: 8rem; max-height: 2rem; }
.where, .hint { color: var(--soft); font-size: .9375rem; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
details { margin: .5rem 0; }
summary { padding: .5rem 0; color: var(--accent); text-align: center; text-decoration: underline; list-style: none; cursor: pointer; }
.problem a { color: inherit; }
.choice + .list { margin-left: 1.875rem; }
fieldset { margin: 1.25rem 0; padding: .5rem .75rem .75rem; border: 1px solid var(--line); border-radius: .375rem; }
legend { padding: 0 .25rem; font-weight: 600; }
.field { margin: 1rem 0; }
.field > label { display: block; font-weight: 600; }
input, select, textarea, button { font: inherit; color: inherit; }
input:not([type=checkbox]):not([type=radio]), select, textarea {
  display: block; width: 100%; min-height: 2.75rem; padding: .5rem; margin-top: .25rem;
  background: var(--paper); border: 1px solid var(--line); border-radius: .25rem;
}
textarea { min-height: 8rem; font-family: ui-monospace, monospace; font-size: .875rem; }
textarea.secret { -webkit-text-security: disc; }
[aria-invalid=true] { border: 2px solid var(--bad) !important; }
.choice { display: flex; gap: .625rem; align-items: flex-start; padding: .375rem 0; }
.choice input { width: 1.25rem; height: 1.25rem; margin: .125rem 0 0; flex: none; accent-color: var(--accent); }
.long { max-height: 17.25rem; overflow: auto; border-bottom: 1px solid var(--line); }
button, .go a {
  display: block; width: 100%; min-height: 2.75rem; padding: .5rem 1rem; margin: .5rem 0 0; cursor: pointer; text-align: center; text-decoration: none;
  background: var(--accent); color: var(--on-accent); border: 1px solid var(--accent); border-radius: .25rem; font-weight: 600;
}
.settle { animation: settle 1s; }
/* A second click that was meant for a window which is gone by now presses nothing. */
@keyframes settle { from, 99% { pointer-events: none; } }
button.second { background: transparent; color: var(--accent); border-color: transparent; }
button.deny { border-color: var(--accent); }
.types button { display: flex; gap: .75rem; padding: .75rem; margin: .75rem 0 0; text-align: left; border-color: var(--line); }
.types svg { flex: none; width: 2.25rem; height: 2.25rem; font-size: 1rem; }
.types .hint { display: block; font-weight: 400; }
.choice .hint { display: block; }
.choice .hint::first-letter { text-transform: uppercase; }
.fault { color: var(--bad); font-weight: 600; }
.problem { padding: .75rem; margin: 1rem 0; background: var(--bad-paper); border: 2px solid var(--bad); border-radius: .375rem; }
.problem h2 { margin: 0; }
.good { color: var(--good); font-weight: 600; }
code { font-size: .9375em; }
`.trimStart();
