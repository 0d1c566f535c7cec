import { parseArgs } from "node:util";

/** One option of a command, `--name`; `value` names what follows it, absent for a switch. */
export interface Option {
  readonly value?: string;
  readonly help: string;
  readonly required?: boolean;
  readonly repeatable?: boolean;
}

/** One command of interface 12.1, as data: its parser and its help follow from it. Its code is loaded only when it runs. */
export interface Command {
  /** As it is typed, such as `org create`. */
  readonly name: string;
  readonly summary: string;
  /** What must follow the name, in order. */
  readonly operands?: readonly string[];
  readonly options?: Readonly<Record<string, Option>>;
  /** Needs no SECRET_KEY: it opens and seals nothing. */
  readonly keyless?: boolean;
  readonly load: () => Promise<Run>;
}

/** Answers the exit code. */
export type Run = (call: Invocation) => Promise<number>;

/** The arguments of a command and its output. */
export interface Invocation {
  /** The operands, in the order declared. */
  readonly operands: readonly string[];
  /** An option's value; undefined when it was not given. */
  text(option: string): string | undefined;
  /** Every value of a repeatable option. */
  all(option: string): readonly string[];
  /** Whether a switch was given. */
  given(option: string): boolean;
  readonly json: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Writes to stdout. */
  print(text: string): Promise<void>;
  /** Writes a line to stderr. */
  note(text: string): void;
}

/** A mistake in the command line: exit 2, with the command's help. */
export class UsageError extends Error {}

const JSON_OPTION: Option = { help: "one JSON document on stdout, and nothing else" };
const HELP_OPTION: Option = { help: "this text" };

interface Parsed {
  readonly operands: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
}

/** Splits the arguments after a command's name. Throws `UsageError` for an undeclared or a missing argument. */
export function parseCommand(command: Command, args: readonly string[]): Parsed {
  const declared = { ...command.options, json: JSON_OPTION, help: HELP_OPTION };
  const options = Object.fromEntries(
    Object.entries(declared).map(([name, { value, repeatable }]) => [
      name,
      { type: value === undefined ? ("boolean" as const) : ("string" as const), multiple: repeatable === true },
    ]),
  );
  const { values, positionals } = strictly(() =>
    parseArgs({ args: [...args], options, allowPositionals: true, strict: true }),
  );
  const operands = command.operands ?? [];
  if (values["help"] !== true) {
    const missing = operands[positionals.length];
    if (missing !== undefined) throw new UsageError(`<${missing}> is missing.`);
    if (positionals.length > operands.length)
      throw new UsageError(`Unexpected argument: ${positionals.slice(operands.length).join(" ")}`);
    for (const [name, option] of Object.entries(command.options ?? {}))
      if (option.required && values[name] === undefined) throw new UsageError(`--${name} is missing.`);
  }
  return { operands: positionals, values };
}

function strictly<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    // Node's advice about arguments that begin with a dash does not apply to these commands.
    const [message = ""] = (error as Error).message.split(". To specify", 1);
    throw new UsageError(`${message.replace(/\.$/, "")}.`);
  }
}

/** The help of one command. */
export function helpOf(command: Command): string {
  const operands = (command.operands ?? []).map((operand) => ` <${operand}>`).join("");
  const options = Object.entries({ ...command.options, json: JSON_OPTION, help: HELP_OPTION }).map(
    ([name, { value, help, required, repeatable }]) => {
      const notes = [required ? "required" : "", repeatable ? "may be repeated" : ""].filter(Boolean).join(", ");
      return [`  --${name}${value === undefined ? "" : ` ${value}`}`, notes === "" ? help : `${help} (${notes})`];
    },
  );
  return `${command.summary}\n\nUsage: tefo ${command.name}${operands} [options]\n\nOptions:\n${columns(options)}`;
}

/** Text in columns, two spaces between them. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  return rows
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
