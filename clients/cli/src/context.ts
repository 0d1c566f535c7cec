import { Tefo } from "../../typescript/src/index.ts";
import { Misuse, type Typed } from "./arguments.ts";
import { configFolder, type Profile, readProfiles } from "./profiles.ts";

/** What a command works with. */
export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly typed: Typed;
  /** Writes a line to stdout. */
  print(text: string): void;
  /** Writes a line to stderr: what is no result. */
  say(text: string): void;
  /** A line of stdin, or all of it where it is no terminal; what is typed is not shown. */
  askSecret(question: string): Promise<string>;
  /** The lines of stdin, until it ends. */
  lines(): AsyncIterable<string>;
  /** Aborted by Ctrl+C. */
  readonly signal: AbortSignal;
}

/** The command with its words, and what they do. */
export interface Command {
  /** `events list`. */
  readonly name: string;
  /** `[--type TYPE]`. */
  readonly usage: string;
  readonly about: string;
  run(context: Context): Promise<void>;
}

/** The profile that is asked for by `--profile`, else by BASE_URL and TEFO_KEY, else the current one. Throws Misuse without one. */
export function profileOf({ env, typed }: Context): Profile & { readonly name: string } {
  const named = typed.option("profile");
  const { BASE_URL: baseUrl, TEFO_KEY: apiKey } = env;
  if (named === undefined && baseUrl && apiKey)
    return { name: "environment", baseUrl, apiKey, organisation: "", sandbox: true };
  const { current, profiles } = readProfiles(env);
  const name = named ?? current;
  const profile = profiles[name];
  if (!profile) throw new Misuse(`there is no profile "${name}": tefo login --profile ${name} --base-url https://…`);
  return { ...profile, name };
}

/** A client of the profile. Warnings about fields that the service does not know are said. */
export function clientOf(
  context: Context,
  { baseUrl, apiKey }: Pick<Profile, "baseUrl" | "apiKey"> = profileOf(context),
): Tefo {
  return new Tefo({
    baseUrl,
    apiKey,
    onAnswer: ({ warnings }) => {
      if (warnings !== null) context.say(`Warning: ${warnings}`);
    },
  });
}

/** Where a command keeps what it remembers. */
export const memoryOf = (context: Context, name: string): string => `${configFolder(context.env)}/${name}.json`;

/** A word after the command's own. Throws Misuse when it is missing. */
export function word({ typed }: Context, place: number, what: string): string {
  const found = typed.words[place];
  if (found === undefined) throw new Misuse(`${what} is missing`);
  return found;
}
