import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSecrets } from "../../platform/secrets.ts";
import { backupPlace, namedBackup } from "../backup-place.ts";
import { backUp, prune, restoreBackup } from "../backups.ts";
import { type Config, readConfig } from "../config.ts";
import { readMasterKey } from "../master-key.ts";
import { type Run, UsageError } from "./command.ts";
import { answer, withDatabase } from "./database.ts";
import { verify } from "./verify.ts";

/** `backup`: `{file, bytes, seconds, removed}`. */
export const backup: Run = (call) =>
  withDatabase(call, async ({ config, opened, db }) => {
    const target = call.text("to") ?? config.backupDir;
    if (!target) throw new UsageError("--to is missing, and BACKUP_DIR is not set.");
    const place = backupPlace(target, call.environment, call.text("endpoint") ?? null);
    const began = performance.now();
    const { file, bytes } = await backUp({ config, opened, db, place });
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    const removed = call.given("prune") ? await prune(place) : [];
    const words = [
      `${file}: ${Math.ceil(bytes / 1e6)} MB in ${seconds} s.`,
      ...removed.map((name) => `${name} removed.`),
    ];
    await answer(call, { file, bytes, seconds, removed }, words.join("\n"));
    return 0;
  });

/**
 * `restore`: `{dataDir, createdAt, version}`. With `--check` it restores into a temporary folder, answers as `verify`
 * does, and removes the folder.
 */
export const restore: Run = async (call) => {
  const config = readConfig(call.environment);
  if (config.databaseUrl !== null)
    throw new Error(
      "This restores an embedded database: unset DATABASE_URL. A PostgreSQL of your own is restored by its own means.",
    );
  const backup = namedBackup(call.operands[0] ?? "", call.environment, call.text("endpoint") ?? null);
  const key = await keyOf(config);
  const secrets = createSecrets({ current: key, previous: config.previousSecretKeys });
  if (!call.given("check")) {
    const { createdAt, version } = await restoreBackup(backup, config.dataDir, secrets);
    const words = `${config.dataDir} holds the database as it was at ${createdAt}. Start the service, then run: tefo verify`;
    await answer(call, { dataDir: config.dataDir, createdAt, version }, words);
    return 0;
  }
  const dataDir = await mkdtemp(join(tmpdir(), "tefo-restore-"));
  try {
    const { createdAt, version } = await restoreBackup(backup, dataDir, secrets);
    call.note(`Restored as it was at ${createdAt}, by version ${version}. Checking …`);
    return await verify({ ...call, environment: { ...call.environment, DATA_DIR: dataDir, SECRET_KEY: key } });
  } finally {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
  }
};

/** The master key that the backup was encrypted with, of SECRET_KEY or in `secret.key` of DATA_DIR. */
async function keyOf({ secretKey, dataDir }: Config): Promise<string> {
  const key = secretKey ?? (await readMasterKey(dataDir));
  if (key === null) throw new Error(`Set SECRET_KEY to the key of the backup, or put its secret.key into ${dataDir}.`);
  return key;
}
