import { withRefundReports } from "../../modules/gateway-notifications/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { REFUND_REPORTS } from "../../modules/refunds/declarations.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";

/** Enqueues `refund.reports` for those of the payments that have a refund report which was not applied. */
export async function expectRefundReports(
  tx: Tx,
  { now }: Pick<Ctx, "now">,
  payments: readonly Transaction[],
): Promise<void> {
  for (const id of await withRefundReports(tx, payments)) enqueue(tx, REFUND_REPORTS, id, now);
}
