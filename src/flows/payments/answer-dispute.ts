import { Readable } from "node:stream";
import { ApiError, invalid, notFound } from "../../kernel/errors.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import { EVIDENCE_MAX, refusalMessage } from "../../modules/disputes/rules.ts";
import { evidencePiece, findDispute, insertEvidence, updateDispute } from "../../modules/disputes/store.ts";
import type { DisputeRecord, EvidenceType } from "../../modules/disputes/types.ts";
import type { disputeView } from "../../modules/disputes/view.ts";
import { proofFileName } from "../../modules/eft-orders/rules.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { lockTransaction } from "../../modules/payments/store/payments.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { gatewayCallOf, gatewayOf } from "../gateways/accounts.ts";
import { askGateway } from "../gateways/ask-gateway.ts";
import { identityOf } from "../gateways/payment-identity.ts";
import type { Services } from "../services.ts";
import { storedFile } from "../stored-file.ts";
import { closeDispute, disputeObject, readDispute } from "./record-dispute.ts";

type ShownDispute = ReturnType<typeof disputeView>;

/** A dispute before and after a change. */
export interface DisputeChange {
  readonly before: ShownDispute;
  readonly after: ShownDispute;
}

/** A file whose type was checked. */
interface CheckedFile {
  /** The file name as it was uploaded. */
  readonly name: string;
  readonly bytes: Buffer;
  readonly type: EvidenceType;
  /** The hash in hexadecimal. */
  readonly sha256: string;
}

/** Locks the payment of a dispute, and reads the dispute under that lock. Throws 404; 409 unless it is open. */
async function lockOpenDispute(tx: Tx, id: string): Promise<DisputeRecord> {
  const found = await findDispute(tx, id);
  if (!found) throw notFound("dispute");
  await lockTransaction(tx, found.transactionId);
  const dispute = await findDispute(tx, id);
  if (!dispute) throw notFound("dispute");
  const refusal = refusalMessage(dispute.status);
  if (refusal) throw new ApiError("invalid_state", 409, refusal);
  return dispute;
}

/**
 * Adds a file that answers an open dispute. A file that it has already is not stored twice. Locks the payment. Throws
 * 404; 409 when the dispute is closed; 400 when it has ten files.
 */
export async function addEvidence(tx: Tx, ctx: Ctx, id: string, file: CheckedFile): Promise<DisputeChange> {
  const dispute = await lockOpenDispute(tx, id);
  const before = disputeObject(dispute);
  if (dispute.evidence.some(({ sha256 }) => sha256 === file.sha256)) return { before, after: before };
  if (dispute.evidence.length >= EVIDENCE_MAX)
    throw invalid(`This dispute has ${EVIDENCE_MAX} files already, and takes no more.`);
  const { name, bytes, type: contentType, sha256 } = file;
  const fileName = proofFileName(name, contentType);
  const evidence = { id: newId("evd"), fileName, contentType, size: bytes.length, sha256, createdAt: ctx.now };
  insertEvidence(tx, dispute.id, evidence, bytes);
  return { before, after: await readDispute(tx, dispute.id) };
}

/**
 * Sends the evidence of an open dispute to its gateway; it may be sent again while the dispute is open. Asks the gateway,
 * so never inside a transaction. Throws 404; 400 without evidence, and when the gateway refuses it; 409 `invalid_state`
 * when the dispute is closed, `unsupported` when the gateway takes evidence in its own dashboard only; 502
 * `gateway_error` when it gives no clear answer.
 */
export async function submitEvidence(services: Services, ctx: Ctx, id: string): Promise<ShownDispute> {
  const { organisation, now } = ctx;
  const { dispute, payment, account } = await services.db.transaction(organisation.id, async (tx) => {
    const dispute = await lockOpenDispute(tx, id);
    const payment = await lockTransaction(tx, dispute.transactionId);
    const account = await findGatewayAccount(tx, dispute.gatewayAccountId);
    if (!payment || !account) throw notFound("dispute");
    return { dispute, payment, account };
  });
  const { name, disputes } = gatewayOf(account).adapter;
  if (!disputes)
    throw new ApiError(
      "unsupported",
      409,
      `${name} takes evidence in its own dashboard only: answer the dispute there. The files here are kept for your records.`,
    );
  if (dispute.evidence.length === 0) throw invalid("Upload evidence first.");
  const call = gatewayCallOf(services, organisation, account, now);
  const answer = await askGateway(services, { dispute: dispute.id, gateway: account.id }, () =>
    disputes.submit(
      { payment: identityOf(payment), disputeId: dispute.gatewayDisputeId, files: dispute.evidence },
      call,
    ),
  );
  if (answer === "unclear")
    throw new ApiError("gateway_error", 502, `${name} does not say whether it has the evidence. Submit it again.`);
  if (answer.kind === "refused") throw invalid(`${name} refused the evidence: ${answer.reason}`);
  return services.db.transaction(organisation.id, async (tx) => {
    const open = await lockOpenDispute(tx, id);
    updateDispute(tx, { ...open, submittedAt: now });
    const after = await readDispute(tx, id);
    recordAudit(tx, { ...ctx, action: "POST /disputes/{id}/submit", subject: id, before: disputeObject(open), after });
    return after;
  });
}

/**
 * Accepts an open dispute: the merchant does not answer, and it closes. What a reversal took stays taken. Locks the
 * payment. Throws 404; 409 when it is closed.
 */
export async function acceptDispute(tx: Tx, ctx: Ctx, id: string): Promise<DisputeChange> {
  const dispute = await lockOpenDispute(tx, id);
  await closeDispute(tx, ctx, dispute, "accepted");
  return { before: disputeObject(dispute), after: await readDispute(tx, id) };
}

/**
 * A file of a dispute, which is read while it is sent. The audit log gets an entry with the reader, since evidence may
 * show personal data. Throws 404.
 */
export async function readEvidence({ db }: Pick<Services, "db">, ctx: Ctx, id: string, evidenceId: string) {
  const { file, place, reference } = await db.transaction(ctx.organisation.id, async (tx) => {
    const dispute = await findDispute(tx, id);
    const place = dispute?.evidence.findIndex((one) => one.id === evidenceId) ?? -1;
    const file = dispute?.evidence[place];
    if (!dispute || !file) throw notFound("file");
    const action = "GET /disputes/{id}/evidence/{evidenceId}";
    recordAudit(tx, { ...ctx, action, subject: dispute.id, before: null, after: { evidenceId } });
    return { file, place, reference: dispute.transactionReference };
  });
  const pieces = storedFile(db, ctx, (tx, span) => evidencePiece(tx, file.id, span));
  return {
    content: Readable.from(pieces, { objectMode: false }),
    contentType: file.contentType,
    fileName: `${reference}-evidence-${place + 1}.${file.contentType.split("/").at(-1)}`,
  };
}
