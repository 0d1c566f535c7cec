import { once } from "node:events";
import { ApiError } from "../../kernel/errors.ts";
import { type Command, columns, helpOf, type Invocation, parseCommand, UsageError } from "./command.ts";
import { COMMANDS } from "./commands.ts";

interface CommandEnvironment {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdout: NodeJS.WritableStream;
  readonly stderr: NodeJS.WritableStream;
}

const OK = 0;
const FAILED = 1;
const USAGE = 2;

/**
 * Runs one command line. Answers the exit code: 0 done, 1 failed or found faults, 2 a mistake in the command line.
 * Errors go to stderr; with `--json` stdout then holds `{error, message}`.
 */
export async function runCommandLine(args: readonly string[], given: CommandEnvironment): Promise<number> {
  const { stderr } = given;
  const print = printer(given.stdout);
  const json = args.includes("--json");
  const fail = async (error: string, message: string, help: string, code: number): Promise<number> => {
    stderr.write(`${message}\n${help === "" ? "" : `\n${help}\n`}`);
    if (json) await print(`${JSON.stringify({ error, message })}\n`);
    return code;
  };
  const command = commandOf(args);
  if (!command) {
    if (args.includes("--help") || args[0] === "help") {
      await print(`${overview(args)}\n`);
      return OK;
    }
    const typed = args.filter((arg) => !arg.startsWith("-")).join(" ");
    return fail("usage", typed === "" ? "Name a command." : `No such command: ${typed}`, overview(args), USAGE);
  }
  try {
    const { operands, values } = parseCommand(command, args.slice(command.name.split(" ").length));
    if (values["help"] === true) {
      await print(`${helpOf(command)}\n`);
      return OK;
    }
    const run = await command.load();
    return await run(invocation(command, operands, values, given, print));
  } catch (error) {
    if (error instanceof UsageError) return fail("usage", error.message, helpOf(command), USAGE);
    const code = error instanceof ApiError ? error.code : "failed";
    return fail(code, error instanceof Error ? error.message : String(error), "", FAILED);
  }
}

/** The longest name wins; options may not stand before it. */
const commandOf = (args: readonly string[]): Command | undefined =>
  COMMANDS.find(({ name }) => name === args.slice(0, name.split(" ").length).join(" "));

/** All commands, or those of the group that was named. */
function overview(args: readonly string[]): string {
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${args[0]} `));
  const rows = (group.length > 0 ? group : COMMANDS).map(({ name, operands = [], summary }) => [
    `  ${[name, ...operands.map((operand) => `<${operand}>`)].join(" ")}`,
    summary,
  ]);
  return `Usage: tefo <command> [options]\n\nCommands:\n${columns(rows)}\n\ntefo <command> --help says more.`;
}

function invocation(
  command: Command,
  operands: readonly string[],
  values: ReturnType<typeof parseCommand>["values"],
  { environment, stderr }: CommandEnvironment,
  print: Invocation["print"],
): Invocation {
  const text = (option: string) => {
    const value = values[option];
    return typeof value === "string" ? value : undefined;
  };
  // A placeholder, since nothing is sealed with it: it is not a key, and using it fails.
  const withoutKey = command.keyless && environment["DATABASE_URL"] && !environment["SECRET_KEY"];
  return {
    operands,
    text,
    all: (option) => [values[option] ?? []].flat().filter((value) => typeof value === "string"),
    given: (option) => values[option] === true,
    json: values["json"] === true,
    environment: withoutKey ? { ...environment, SECRET_KEY: "not needed" } : environment,
    print,
    note: (line) => void stderr.write(`${line}\n`),
  };
}

/** Waits for a slow reader instead of buffering the output in memory. */
const printer = (stream: NodeJS.WritableStream) => async (text: string) => {
  if (!stream.write(text)) await once(stream, "drain");
};
