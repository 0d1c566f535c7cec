import { subtract, toRand } from "../../kernel/money.ts";
import { startOfDay, toTimestamp } from "../../kernel/time.ts";
import { amountDue } from "../../modules/invoices/rules.ts";
import type { InvoiceSendBody, InvoiceSendPreview } from "../../modules/invoices/schema.ts";
import { dryRun } from "../../platform/dry-run.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { sendInvoice } from "./send-invoice.ts";

/** What sending an invoice would do, by a dry run of `sendInvoice`. Throws as it does. */
export async function previewSend(
  services: Services,
  ctx: Ctx,
  id: string,
  body: InvoiceSendBody,
): Promise<InvoiceSendPreview> {
  const { before, after } = await dryRun(services.db, ctx.organisation.id, (tx) => sendInvoice(tx, ctx, id, body));
  return {
    to: after.customer.email,
    mailEnabled: ctx.mailEnabled,
    total: toRand(after.total),
    creditUsed: toRand(subtract(after.paid, before.paid)),
    amountDue: toRand(amountDue(after)),
    canBePaidOnline: after.payLinkId !== null,
    issueDate: toTimestamp(startOfDay(after.issueDate)),
    dueDate: after.dueDate && toTimestamp(startOfDay(after.dueDate)),
  };
}
