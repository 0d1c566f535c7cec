import { assert } from "../../kernel/assert.ts";
import type { InvoicedBill } from "../../modules/customer-subscriptions/store/bills.ts";
import { reasonsOf } from "../../modules/customer-subscriptions/view.ts";
import { findInvoice } from "../../modules/invoices/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { invoiceObject } from "../invoices/invoice-object.ts";

/** The invoices of bills, each with what it is for and the reason of each of its lines (interface 4.8, invoices). */
export const invoicesOfSubscription = (tx: Tx, ctx: Ctx, bills: readonly InvoicedBill[]) =>
  Promise.all(
    bills.map(async ({ id, lines }) => {
      const invoice = await findInvoice(tx, id);
      assert(invoice, "the invoice of a bill stays");
      return { ...invoiceObject(ctx, invoice), reasons: reasonsOf(lines) };
    }),
  );
