import { Readable } from "node:stream";
import { notFound } from "../../kernel/errors.ts";
import type { ProofId } from "../../kernel/ids.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import { proofDownloadName } from "../../modules/eft-orders/rules.ts";
import { findEftOrder, proofPiece } from "../../modules/eft-orders/store.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { storedFile } from "../stored-file.ts";

/**
 * A proof of payment as a file, which is read while it is sent. The audit log gets an entry with the reader, since a
 * proof shows the payer's bank account. Throws 404.
 */
export async function readProof({ db }: Pick<Services, "db">, ctx: Ctx, orderId: string, proofId: string) {
  const { organisation } = ctx;
  const { order, place, proof } = await db.transaction(organisation.id, async (tx) => {
    const order = await findEftOrder(tx, orderId);
    const place = order?.proofs.findIndex(({ id }) => id === proofId) ?? -1;
    const proof = order?.proofs[place];
    if (!order || !proof) throw notFound("proof of payment");
    const action = "GET /eft-orders/{id}/proofs/{proofId}";
    recordAudit(tx, { ...ctx, action, subject: order.id, before: null, after: { proofId } });
    return { order, place, proof };
  });
  return {
    content: Readable.from(proofPieces(db, ctx, proof.id), { objectMode: false }),
    contentType: proof.contentType,
    fileName: proofDownloadName(order.reference, place + 1, proof.contentType),
  };
}

/** The bytes of a proof, in pieces, as `storedFile` reads them. */
export const proofPieces = (db: Services["db"], ctx: Ctx, id: ProofId): AsyncGenerator<Buffer> =>
  storedFile(db, ctx, (tx, span) => proofPiece(tx, id, span));
