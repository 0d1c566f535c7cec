import type { RefundFact } from "../../gateways/facts.ts";
import { addSeconds, type Instant, instant } from "../../kernel/time.ts";
import { refundReportsOf } from "../../modules/gateway-notifications/store.ts";
import { findTransaction } from "../../modules/payments/store/payments.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { applyFacts } from "./apply-facts.ts";

/** Seconds until reports that could not be applied are retried. */
const AGAIN_SECONDS = 3600;

/**
 * `refund.reports`: applies a gateway's reports about refunds of a payment that came before the payment had completed,
 * or while it was unclear which refund they meant. Applying a report again changes nothing. Returns when to try again,
 * or null when each was applied or recorded.
 */
export async function applyRefundReports(services: Services, ctx: Ctx, id: string): Promise<Instant | null> {
  const { organisation, now } = ctx;
  const { accountId, facts } = await services.db.read(organisation.id, async (tx) => {
    const payment = await findTransaction(tx, id);
    const stored = payment ? await refundReportsOf(tx, payment) : [];
    return { accountId: payment?.gatewayAccountId ?? "", facts: stored.map(revived) };
  });
  const failed = await applyFacts(services, ctx, { accountId, source: "sweep" }, facts);
  return failed > 0 ? addSeconds(now, AGAIN_SECONDS) : null;
}

/** Restores a fact from its stored form, in which times are text. */
function revived(stored: object): RefundFact {
  const fact = stored as Omit<RefundFact, "occurredAt"> & { readonly occurredAt: string | null };
  return { ...fact, occurredAt: fact.occurredAt === null ? null : instant(fact.occurredAt) };
}
