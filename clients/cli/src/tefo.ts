import { Tefo, TefoError } from "../../typescript/src/index.ts";
import { Misuse, readArguments } from "./arguments.ts";
import { clockForward, clockNow, clockRewind, clockSnapshot, clockSnapshots, clockTo } from "./commands/clock.ts";
import { completionOf } from "./commands/completion.ts";
import { eventsList, eventsResend, eventsTail, logsTail } from "./commands/events.ts";
import { fixturesRun, trigger } from "./commands/fixtures.ts";
import { listen } from "./commands/listen.ts";
import { login, logout, profiles } from "./commands/login.ts";
import { mcp } from "./commands/mcp.ts";
import { requests } from "./commands/requests.ts";
import type { Command, Context } from "./context.ts";

/** Every command, in the order of the help. */
const COMMANDS: readonly Command[] = [
  login,
  logout,
  profiles,
  listen,
  trigger,
  eventsList,
  eventsTail,
  eventsResend,
  logsTail,
  clockNow,
  clockForward,
  clockTo,
  clockSnapshot,
  clockSnapshots,
  clockRewind,
  ...requests,
  fixturesRun,
  mcp,
  completionOf(() => COMMANDS),
];

const help = (): string =>
  [
    `tefo ${Tefo.version}: the command line of the Tefo API.`,
    "",
    ...COMMANDS.flatMap(({ name, usage, about }) => [`  tefo ${name} ${usage}`.trimEnd(), `      ${about}`]),
    "",
    "Each takes --profile NAME. BASE_URL and TEFO_KEY, when both are set, are used instead of a profile.",
  ].join("\n");

/** Runs a command line. Answers the exit code: 0, 1 for a refusal or failure, 2 for what was typed wrongly. */
export async function tefo(given: readonly string[], around: Omit<Context, "typed">): Promise<number> {
  try {
    const typed = readArguments(given);
    if (typed.has("version")) around.print(Tefo.version);
    else if (typed.has("help") || typed.words.length === 0) around.print(help());
    else await commandOf(typed.words).run({ ...around, typed });
    return 0;
  } catch (error) {
    if (around.signal.aborted) return 0;
    around.say(`tefo: ${told(error)}`);
    return error instanceof Misuse ? 2 : 1;
  }
}

function commandOf(words: readonly string[]): Command {
  const found = COMMANDS.find(({ name }) => name === words.slice(0, name.split(" ").length).join(" "));
  if (found) return found;
  const near = COMMANDS.filter(({ name }) => name.split(" ")[0] === words[0]).map(({ name }) => `tefo ${name}`);
  throw new Misuse(
    `${words.join(" ")} is no command. ${near.length > 0 ? near.join(", ") : "tefo --help lists them."}`,
  );
}

function told(error: unknown): string {
  if (!(error instanceof TefoError)) return error instanceof Error ? error.message : String(error);
  const { status, message, docUrl, requestId } = error;
  const more = [docUrl, requestId === null ? null : `request ${requestId}`].filter((one) => one !== null);
  return [`${status ?? ""} ${error.error}: ${message}`.trim(), ...more].join("\n  ");
}
