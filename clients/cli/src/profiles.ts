import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** A key and where it is used. */
export interface Profile {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly organisation: string;
  readonly sandbox: boolean;
}

/** All profiles; `current` is used when none is named. */
export interface Profiles {
  readonly current: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of the user's configuration: `$XDG_CONFIG_HOME/tefo`, `~/.config/tefo`, on Windows `%APPDATA%\tefo`. */
export function configFolder(env: Environment): string {
  const base = env["XDG_CONFIG_HOME"] || env["APPDATA"] || join(homedir(), ".config");
  return join(base, "tefo");
}

const NONE: Profiles = { current: "default", profiles: {} };

/** What is stored; nothing at first. */
export const readProfiles = (env: Environment): Profiles =>
  readPrivate(join(configFolder(env), "profiles.json")) ?? NONE;

/** Stores profiles, readable by their owner alone. */
export const writeProfiles = (env: Environment, profiles: Profiles): void =>
  writePrivate(join(configFolder(env), "profiles.json"), profiles);

/** A private file of JSON; null when there is none. */
export function readPrivate<Content>(path: string): Content | null {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Content;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw new Error(`${path} cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

/** Writes a file that only its owner can read, whole or not at all. */
export function writePrivate(path: string, content: unknown): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  chmodSync(partial, 0o600);
  renameSync(partial, path);
}
