import { childrenOf, flagsOf } from '../arguments/parse.js';
import type { CommandCall, CommandSpecification } from '../arguments/specification.js';
import { mcpFlags } from '../mcp/command-line.js';

/** Prints a shell's completion script. */
export const completion =
  (commands: readonly CommandSpecification[]) =>
  ({ print, word }: CommandCall): Promise<void> =>
    print.text(scripts[word as Shell](commands));

type Shell = 'bash' | 'zsh' | 'fish' | 'powershell';

interface Step {
  readonly words: string;
  readonly next: readonly string[];
}

/** Every position in a command line, and the words that can follow. */
function steps(commands: readonly CommandSpecification[]): Step[] {
  const groups = [
    ...new Set(commands.flatMap(({ path }) => path.slice(0, -1).map((_, end) => path.slice(0, end + 1).join(' ')))),
  ];
  return [
    { words: '', next: [...childrenOf([], commands), 'help', '--connectors', '--help', '--version'] },
    ...groups.map((words) => ({ words, next: [...childrenOf(words.split(' '), commands), '--help'] })),
    ...commands.map((each) => ({ words: each.path.join(' '), next: [...(each.words ?? []), ...completedFlags(each)] })),
  ];
}

/** `mcp` parses its own flags. */
const completedFlags = (command: CommandSpecification): readonly string[] =>
  command.path[0] === 'mcp' ? mcpFlags : flagsOf(command);

const cases = (commands: readonly CommandSpecification[]): string =>
  steps(commands)
    .map(({ words, next }) => `    "${words}") next="${next.join(' ')}" ;;`)
    .join('\n');

const scripts: Readonly<Record<Shell, (commands: readonly CommandSpecification[]) => string>> = {
  bash: (commands) => `# bash completion; load it with: source <(agent-connectors completion bash)
_agent_connectors() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words="" next="" index
  # Readline may take the @ for the end of a word.
  if [[ "\${COMP_WORDS[COMP_CWORD-1]}" =~ ^(--output|@)$ ]]; then
    COMPREPLY=($(compgen -f -- "$current"))
    return
  fi
  if [[ "$current" == @* ]]; then
    local prefix="@"
    [[ "$COMP_WORDBREAKS" == *@* ]] && prefix=""
    COMPREPLY=($(compgen -P "$prefix" -f -- "\${current#@}"))
    return
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    [[ "\${COMP_WORDS[index]}" =~ ^[a-z]+$ ]] || break
    words="\${words:+$words }\${COMP_WORDS[index]}"
  done
  case "$words" in
${cases(commands)}
  esac
  COMPREPLY=($(compgen -W "$next" -- "$current"))
}
complete -F _agent_connectors agent-connectors
_agent_connectors_npx() {
  local index=1
  while [[ "\${COMP_WORDS[index]}" == -* ]]; do ((index++)); done
  [[ "\${COMP_WORDS[index]}" == agent-connectors ]] && ((COMP_CWORD > index)) || return
  COMP_WORDS=("\${COMP_WORDS[@]:index}")
  ((COMP_CWORD -= index))
  _agent_connectors
}
# Another completion of npx stays.
complete -p npx &>/dev/null || complete -o default -F _agent_connectors_npx npx
`,
  zsh: (commands) => `#compdef agent-connectors
# zsh completion; load it with: source <(agent-connectors completion zsh)
_agent_connectors() {
  local place="" next="" index
  if [[ "\${words[CURRENT-1]}" == "--output" ]]; then
    _files
    return
  fi
  if [[ "\${words[CURRENT]}" == @* ]]; then
    compset -P @
    _files
    return
  fi
  for ((index = 2; index < CURRENT; index++)); do
    [[ "\${words[index]}" =~ '^[a-z]+$' ]] || break
    place="\${place:+$place }\${words[index]}"
  done
  case "$place" in
${cases(commands)}
  esac
  compadd -- \${=next}
}
compdef _agent_connectors agent-connectors
_agent_connectors_npx() {
  local index=2
  while [[ "\${words[index]}" == -* ]]; do ((index++)); done
  if [[ "\${words[index]}" != agent-connectors ]] || ((CURRENT <= index)); then
    _default
    return
  fi
  words=("\${(@)words[index,-1]}")
  ((CURRENT -= index - 1))
  _agent_connectors
}
# Another completion of npx stays.
(( $+_comps[npx] )) || compdef _agent_connectors_npx npx
`,
  powershell: (
    commands,
  ) => `# PowerShell completion; load it with: agent-connectors completion powershell | Out-String | Invoke-Expression
# PowerShell does not tell whether npx has another completer, which this one replaces: load that one afterwards to keep it.
Register-ArgumentCompleter -Native -CommandName agent-connectors, npx -ScriptBlock {
  param($current, $line, $position)
  $words = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($line.CommandElements[0].ToString() -match '^npx') {
    while ($words.Count -gt 0 -and $words[0] -like '-*') { $words = @($words | Select-Object -Skip 1) }
    if ($words.Count -eq 0 -or $words[0] -ne 'agent-connectors') { return }
    $words = @($words | Select-Object -Skip 1)
  }
  if ($current -ne '' -and $words.Count -gt 0) { $words = @($words | Select-Object -SkipLast 1) }
  $path = @()
  foreach ($word in $words) { if ($word -cmatch '^[a-z]+$') { $path += $word } else { break } }
  $next = switch ($path -join ' ') {
${steps(commands)
  .map(({ words, next }) => `    '${words}' { '${next.join("', '")}' }`)
  .join('\n')}
  }
  $next | Where-Object { $_ -like "$current*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`,
  fish: (commands) => {
    const quoted = (text: string) => `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
    const line = (condition: string, word: string, about: string) => {
      const kind = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
      return `complete -c agent-connectors -f -n ${quoted(condition)} ${kind}${about ? ` -d ${quoted(about)}` : ''}`;
    };
    const about = new Map(commands.map(({ path, summary }) => [path.join(' '), summary]));
    const lines = steps(commands).flatMap(({ words, next }) =>
      next.map((word) =>
        line(
          `__agent_connectors_at ${quoted(words).replaceAll("'", '"')}`,
          word,
          about.get(`${words} ${word}`.trim()) ?? '',
        ),
      ),
    );
    return `# fish completion; load it with: agent-connectors completion fish | source
function __agent_connectors_at
  set -l words (commandline -opc)
  set -l place (string match -r '^[a-z]+$' -- $words[2..-1])
  test "$place" = "$argv[1]"
end
${lines.join('\n')}
complete -c agent-connectors -n '__fish_prev_arg_in --output' -F
complete -c npx -f -n 'string match -qr "^npx +(-\\S+ +)*agent-connectors " -- (commandline -cp)' \\
  -a '(complete -C (string replace -r "^npx +(-\\S+ +)*" "" -- (commandline -cp)))'
complete -c agent-connectors -f -n 'string match -q "@*" -- (commandline -ct)' \\
  -a '(__fish_complete_path (string sub -s 2 -- (commandline -ct)) | string replace -r "^" @)'
`;
  },
};
