import { z } from "zod";
import { taxInvoiceCheck } from "../../flows/documents/invoice-file.ts";
import { endpoint } from "../endpoint.ts";

/** What staff ask about invoices beside the client API. */
export const staffInvoiceEndpoints = [
  endpoint({
    tag: "Invoices",
    feature: "invoicing",
    method: "GET",
    path: "/invoices/{id}/tax-invoice",
    summary: "Tell whether an invoice is a tax invoice, and what is missing and where it is set",
    permission: "invoices:read",
    params: z.object({ id: z.string() }),
    replies: {
      200: z.object({
        title: z.string(),
        problems: z.array(z.object({ section: z.string(), what: z.string(), where: z.string() })),
      }),
    },
    async handle({ ctx, params: { id } }, tx) {
      return { status: 200, body: await taxInvoiceCheck(tx, ctx, id) };
    },
  }),
];
