import type { InvoiceId } from "../../kernel/ids.ts";
import { addSeconds } from "../../kernel/time.ts";
import { SUBSCRIPTION_COLLECT } from "../../modules/dunning/declarations.ts";
import { isRetried } from "../../modules/dunning/rules.ts";
import { missedOf } from "../../modules/dunning/store.ts";
import type { Tx } from "../../platform/database.ts";
import { dueTimesOf } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";

const CLOSED_SECONDS = 3600;

/**
 * Those of these invoices for which the stored card is charged again within the hour: their pay pages wait for the
 * outcome, so that nobody pays twice (interface 15.4).
 */
export async function attemptsSoon(
  tx: Tx,
  { now }: Ctx,
  invoices: readonly InvoiceId[],
): Promise<ReadonlySet<InvoiceId>> {
  const missed = await missedOf(tx, invoices);
  if (missed.length === 0) return new Set();
  const [{ dunning }, due] = await Promise.all([
    currentSettings(tx),
    dueTimesOf(
      tx,
      SUBSCRIPTION_COLLECT,
      missed.map(({ invoiceId }) => invoiceId),
    ),
  ]);
  const isSoon = (invoice: InvoiceId) => (due.get(invoice) ?? Infinity) <= addSeconds(now, CLOSED_SECONDS);
  return new Set(
    missed
      .filter((one) => isRetried(one, dunning, now))
      .map(({ invoiceId }) => invoiceId)
      .filter(isSoon),
  );
}
