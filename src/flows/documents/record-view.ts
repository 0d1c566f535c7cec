import type { CheckoutSessionId, InvoiceId, PaymentLinkId, QuoteId } from "../../kernel/ids.ts";
import { toTimestamp } from "../../kernel/time.ts";
import { isRepeatedView } from "../../modules/documents/rules/views.ts";
import { findView, saveView, viewsOf } from "../../modules/documents/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";

/** What payers see on a page of its own. */
type Viewed = InvoiceId | QuoteId | PaymentLinkId | CheckoutSessionId;

/**
 * Records that the payer sees an invoice or a quote (interface 2.5, `viewedAt`), a payment link or a checkout on its
 * page. A view soon after another one writes nothing. A fault is logged and not thrown: the page is shown all the same.
 */
export async function recordView(services: Services, ctx: Ctx, document: Viewed): Promise<void> {
  const organisation = ctx.organisation.id;
  try {
    const last = await services.db.read(organisation, (tx) => findView(tx, document));
    if (last && isRepeatedView(last, ctx.now)) return;
    await services.db.transaction(organisation, async (tx) => saveView(tx, document, ctx.now));
  } catch (error) {
    services.log.warn({ err: error, organisation, document }, "a view of a document was not recorded");
  }
}

/**
 * When payers saw these documents, as fields of their objects for staff (interface 2.5, `viewedAt`). Documents that
 * nobody has seen have none, so that they are the same as a key reads them.
 */
export async function viewTimesOf(tx: Tx, { actor }: Ctx, documents: readonly { readonly id: string }[]) {
  if (actor.kind !== "member") return () => ({});
  const views = await viewsOf(
    tx,
    documents.map(({ id }) => id),
  );
  return ({ id }: { readonly id: string }) => {
    const view = views.get(id);
    return view ? { viewedAt: toTimestamp(view.viewedAt), lastViewedAt: toTimestamp(view.lastViewedAt) } : {};
  };
}
