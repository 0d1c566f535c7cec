import { z } from "zod";
import { approveEftOrder, type Reviewed, rejectEftOrder } from "../../flows/eft-orders/review-eft-order.ts";
import { shownOrder } from "../../flows/eft-orders/shown-order.ts";
import { notFound } from "../../kernel/errors.ts";
import { proofDownloadName } from "../../modules/eft-orders/rules.ts";
import { EftOrderObject, EftOrderReject } from "../../modules/eft-orders/schema.ts";
import { findEftOrder, proofContent } from "../../modules/eft-orders/store.ts";
import type { Tx } from "../../platform/database.ts";
import { type Call, downloadEndpoint, endpoint, type Reply } from "../endpoint.ts";

const common = { tag: "EFT orders", feature: "payment_links" } as const;
const params = z.object({ id: z.string() });

/** Interface 14.2: what staff do with bank transfers. */
export const staffEftOrderEndpoints = [
  endpoint({
    ...common,
    method: "POST",
    path: "/eft-orders/{id}/approve",
    summary: "Approve an EFT order: its money has arrived",
    permission: "eft_orders:write",
    params,
    replies: { 200: EftOrderObject },
    async handle({ ctx, services, params: { id } }, tx) {
      return reviewed(tx, { ctx, services }, await approveEftOrder(tx, ctx, id));
    },
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/eft-orders/{id}/reject",
    summary: "Reject the proof of an EFT order; the payer may send another",
    permission: "eft_orders:write",
    params,
    body: EftOrderReject,
    replies: { 200: EftOrderObject },
    async handle({ ctx, services, params: { id }, body }, tx) {
      return reviewed(tx, { ctx, services }, await rejectEftOrder(tx, ctx, id, body.reason));
    },
  }),
  downloadEndpoint({
    ...common,
    path: "/eft-orders/{id}/proofs/{proofId}",
    summary: "Keep a proof of payment, as a file",
    permission: "eft_orders:read",
    params: z.object({ id: z.string(), proofId: z.string() }),
    media: "*/*",
    async download({ ctx, services, params: { id, proofId } }) {
      return services.db.read(ctx.organisation.id, async (tx) => {
        const [order, content] = await Promise.all([findEftOrder(tx, id), proofContent(tx, id, proofId)]);
        const place = order?.proofs.findIndex((proof) => proof.id === proofId) ?? -1;
        const proof = order?.proofs[place];
        if (!order || !proof || !content) throw notFound("proof of payment");
        const { contentType } = proof;
        return { content, contentType, fileName: proofDownloadName(order.reference, place + 1, contentType) };
      });
    },
  }),
];

async function reviewed(
  tx: Tx,
  { ctx }: Pick<Call<unknown, unknown, unknown>, "ctx" | "services">,
  { before, after }: Reviewed,
): Promise<Reply> {
  return {
    status: 200,
    body: await shownOrder(tx, ctx, after),
    audit: {
      subject: after.id,
      before: { status: before.status },
      after: { status: after.status, rejectionReason: after.rejectionReason },
    },
  };
}
