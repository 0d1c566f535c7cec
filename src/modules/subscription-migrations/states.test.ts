import assert from "node:assert/strict";
import { test } from "node:test";
import { type MigrationAction, moveMigration } from "./states.ts";
import { MIGRATION_STATUSES, type MigrationStatus } from "./types.ts";

test("migrations of interface 4.7, cell for cell", () => {
  const actions: readonly MigrationAction[] = ["send_link", "authorise", "cancel_legacy", "cancel"];
  const table: Record<MigrationStatus, readonly (MigrationStatus | null)[]> = {
    link_sent: ["link_sent", "authorised", null, "cancelled"],
    authorised: [null, null, "legacy_cancelled", null],
    legacy_cancelled: [null, null, "legacy_cancelled", null],
    cancelled: [null, null, null, "cancelled"],
  };
  for (const status of MIGRATION_STATUSES)
    assert.deepEqual(
      actions.map((action) => moveMigration(status, action)),
      table[status],
      status,
    );
});
