import { userInfo } from "node:os";
import type { Actor } from "../../flows/context.ts";
import { notFound } from "../../kernel/errors.ts";
import { organisationBySlug } from "../../modules/organisations/store.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { type Database, openDatabase } from "../../platform/database.ts";
import { type Config, readConfig } from "../config.ts";
import { type DatabaseAndKeys, openDatabaseAndKeys } from "../database-and-keys.ts";
import type { Invocation } from "./command.ts";

/** What a command uses. */
export interface CommandContext {
  readonly config: Config;
  readonly opened: DatabaseAndKeys;
  readonly db: Database;
}

const CONNECTIONS = 4;

/**
 * Runs `work` on the database that DATABASE_URL names, else on the embedded one of DATA_DIR, which is started for the command when it is
 * not running (interface 10.1). Migrations that this build brings are applied first, as at every start.
 */
export async function withDatabase<T>(call: Invocation, work: (context: CommandContext) => Promise<T>): Promise<T> {
  const config = readConfig(call.environment);
  const opened = await openDatabaseAndKeys(config, {
    databaseWaitMs: 0,
    log: call.note,
    warn: ({ message }) => call.note(message),
    lost: () => {},
  });
  try {
    const db = openDatabase(opened.databaseUrl, { connections: CONNECTIONS });
    try {
      return await work({ config, opened, db });
    } finally {
      await db.close();
    }
  } finally {
    await opened.release();
  }
}

/** The organisation with this slug. Throws 404 when there is none. */
export async function organisationNamed(db: Database, slug: string): Promise<Organisation> {
  const organisation = await organisationBySlug(db, slug);
  if (!organisation) throw notFound(`organisation: ${slug}`);
  return organisation;
}

/** The person who runs the command, for the audit log. */
export function operator(): Actor {
  return { kind: "operator", id: null, name: userName(), ip: null };
}

/** The name of the system user; in a container the user may have no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? "unknown"}`;
  }
}

/** Prints the one document of a command: as JSON, or as text. */
export const answer = (call: Invocation, document: unknown, words: string): Promise<void> =>
  call.print(`${call.json ? JSON.stringify(document) : words}\n`);
