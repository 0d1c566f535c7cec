import { Misuse } from "../arguments.ts";
import { type Command, word } from "../context.ts";
import { TRIGGERS } from "../triggers.ts";

/** What may follow which word. */
function followers(commands: readonly Command[]): Map<string, string[]> {
  const found = new Map<string, string[]>([["", []]]);
  const add = (after: string, next: string) => {
    const known = found.get(after) ?? [];
    if (!known.includes(next)) known.push(next);
    found.set(after, known);
  };
  for (const { name, usage } of commands) {
    const [first = "", second] = name.split(" ");
    add("", first);
    if (second !== undefined) add(first, second);
    for (const [option] of usage.matchAll(/--[a-z-]+/g)) add(second ?? first, option);
  }
  for (const type of Object.keys(TRIGGERS)) add("trigger", type);
  for (const shell of Object.keys(SHELLS)) add("completion", shell);
  return found;
}

const words = (list: readonly string[]): string => list.join(" ");

const SHELLS: Readonly<Record<string, (next: Map<string, string[]>) => string>> = {
  bash: (next) => `_tefo() {
  local words
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${cases(next, (after, list) => `    ${after}) words="${words(list)}" ;;`)}
    *) words="--profile" ;;
  esac
  [ "$COMP_CWORD" -eq 1 ] && words="${words(next.get("") ?? [])}"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _tefo tefo`,
  zsh: (next) => `#compdef tefo
_tefo() {
  local -a next
  case "\${words[CURRENT-1]}" in
${cases(next, (after, list) => `    ${after}) next=(${words(list)}) ;;`)}
    *) next=(--profile) ;;
  esac
  (( CURRENT == 2 )) && next=(${words(next.get("") ?? [])})
  compadd -- $next
}
compdef _tefo tefo`,
  fish: (next) =>
    [...next]
      .map(([after, list]) =>
        after === ""
          ? `complete -c tefo -f -n __fish_use_subcommand -a "${words(list)}"`
          : `complete -c tefo -f -n "test (commandline -opc)[-1] = ${after}" -a "${words(list)}"`,
      )
      .join("\n"),
  powershell: (next) => `Register-ArgumentCompleter -Native -CommandName tefo -ScriptBlock {
  param($word, $ast, $cursor)
  $typed = @($ast.CommandElements | ForEach-Object { $_.ToString() })
  $before = if ($word -eq '') { $typed[-1] } else { $typed[-2] }
  $next = switch ($before) {
    'tefo' { '${words(next.get("") ?? [])}' }
${cases(next, (after, list) => `    '${after}' { '${words(list)}' }`)}
    default { '--profile' }
  }
  $next.Split(' ') | Where-Object { $_ -like "$word*" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}`,
};

const cases = (next: Map<string, string[]>, line: (after: string, list: readonly string[]) => string): string =>
  [...next].flatMap(([after, list]) => (after === "" ? [] : [line(after, list)])).join("\n");

/** The command that prints a shell's completion of `commands`. */
export function completionOf(commands: () => readonly Command[]): Command {
  return {
    name: "completion",
    usage: "SHELL",
    about: `Prints the completion of a shell: ${Object.keys(SHELLS).join(", ")}.`,
    async run(context) {
      const shell = word(context, 1, "the shell");
      const write = SHELLS[shell];
      if (!write) throw new Misuse(`${shell} is not known: ${Object.keys(SHELLS).join(", ")}`);
      context.print(write(followers(commands())));
    },
  };
}
