import { toTimestampOrNull } from "../../kernel/time.ts";
import { workSummary } from "../../platform/due-work.ts";
import { columns, type Run } from "./command.ts";
import { answer, withDatabase } from "./database.ts";

/** `migrate`: answers `{applied: [name]}`. */
export const migrate: Run = (call) =>
  withDatabase(call, async ({ opened: { migrated } }) => {
    const words = migrated.length === 0 ? "The database is up to date." : `Applied: ${migrated.join(", ")}`;
    await answer(call, { applied: migrated }, words);
    return 0;
  });

/** `jobs`: answers `{depth, due, running, failed, oldestDue, kinds}`; `failed` work waits for a person. */
export const jobs: Run = (call) =>
  withDatabase(call, async ({ db }) => {
    const kinds = (await workSummary(db)).map(({ oldestDue, ...counts }) => ({
      ...counts,
      oldestDue: toTimestampOrNull(oldestDue),
    }));
    const total = (count: "depth" | "due" | "running" | "failed") => kinds.reduce((sum, kind) => sum + kind[count], 0);
    const oldestDue = kinds.flatMap((kind) => kind.oldestDue ?? []).sort()[0] ?? null;
    const totals = { depth: total("depth"), due: total("due"), running: total("running"), failed: total("failed") };
    const rows = [...kinds, { kind: "all", ...totals, oldestDue }].map((row) => [
      row.kind,
      ...[row.depth, row.due, row.running, row.failed].map(String),
      row.oldestDue ?? "-",
    ]);
    const words = columns([["KIND", "WAITING", "DUE", "RUNNING", "FAILED", "OLDEST DUE"], ...rows]);
    await answer(call, { ...totals, oldestDue, kinds }, words);
    return 0;
  });
