import { type Identity, openIdentity } from "../../platform/identity.ts";
import { createLog } from "../../platform/log.ts";
import type { CommandContext } from "./database.ts";

/** Runs `work` with the sign-in of staff, without mail. */
export async function withIdentity<T>(
  { config, opened }: CommandContext,
  work: (identity: Identity) => Promise<T>,
): Promise<T> {
  const identity = openIdentity({
    databaseUrl: opened.databaseUrl,
    baseUrl: config.baseUrl,
    secrets: opened.secrets().deriveAll("identity"),
    secureCookies: false,
    log: createLog("silent"),
    mail: null,
    connections: 1,
  });
  try {
    return await work(identity);
  } finally {
    await identity.close();
  }
}
