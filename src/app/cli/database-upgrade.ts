import { counted } from "../../kernel/text.ts";
import { upgradeEmbeddedPostgres } from "../../platform/embedded-postgres/upgrade.ts";
import { readConfig } from "../config.ts";
import type { Run } from "./command.ts";
import { answer } from "./database.ts";

/** `database upgrade`: `{dataDir, from, to, tables, rows, seconds, kept}`. */
export const databaseUpgrade: Run = async (call) => {
  const { databaseUrl, dataDir } = readConfig(call.environment);
  if (databaseUrl !== null)
    throw new Error(
      "This upgrades the embedded database: unset DATABASE_URL. A PostgreSQL of your own is upgraded by its own means.",
    );
  const began = performance.now();
  const oldBinaries = call.text("old-binaries") ?? "";
  const { from, to, tables, rows, kept } = await upgradeEmbeddedPostgres({ dataDir, oldBinaries, log: call.note });
  const seconds = Math.round((performance.now() - began) / 100) / 10;
  const words = [
    `${dataDir} is of PostgreSQL ${to}: ${counted(rows, "row")} of ${counted(tables, "table")} were copied and compared.`,
    `The database of PostgreSQL ${from} stays in ${kept}: delete it when you need it no longer.`,
    "Start the service, then run: tefo verify",
  ];
  await answer(call, { dataDir, from, to, tables, rows, seconds, kept }, words.join("\n"));
  return 0;
};
