import { appendEvent } from "../../events/outbox.ts";
import { invalid } from "../../kernel/errors.ts";
import { EFT_PROOF_RECEIVED } from "../../modules/eft-orders/declarations.ts";
import { PROOFS_MAX, proofFileName, refusalMessage } from "../../modules/eft-orders/rules.ts";
import { moveEftOrder, statusAt } from "../../modules/eft-orders/states.ts";
import { insertProof, updateEftOrder } from "../../modules/eft-orders/store.ts";
import type { EftOrderRecord, Proof, ProofSource, ProofType } from "../../modules/eft-orders/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { alertProof } from "../mail/staff-alerts.ts";
import type { Services } from "../services.ts";
import { eftOrderObject } from "./eft-order-object.ts";
import { lockOrderForChange, readLockedOrder } from "./lock-eft-order.ts";

/** A file whose type was checked. */
export interface CheckedProof {
  /** The file name as it was uploaded. */
  readonly name: string;
  readonly bytes: Buffer;
  readonly type: ProofType;
  /** The hash in hexadecimal. */
  readonly sha256: string;
}

/**
 * Checks a proof by its bytes, not its name (interface 4.9). Throws 400 for an empty file, and for anything but a
 * complete PDF, PNG or JPEG.
 */
export async function checkProof(
  { fileReader }: Pick<Services, "fileReader">,
  { organisation }: Ctx,
  { name, bytes }: { readonly name: string; readonly bytes: Buffer },
): Promise<CheckedProof> {
  if (bytes.length === 0) throw invalid("The file is empty.");
  const { type, sha256 } = await fileReader.proof(organisation.id, bytes);
  if (!type) throw invalid("The file must be a whole PDF, PNG or JPEG; what it is called does not count.");
  return { name, bytes, type, sha256 };
}

/**
 * Adds a proof of payment and moves the order to review (interface 4.9). A file that the order already has is not
 * stored twice, and changes the order only when it was rejected. Locks the order. Throws 404; 400 when the order
 * accepts no proof or has ten.
 */
export async function addProof(
  tx: Tx,
  ctx: Ctx,
  id: string,
  file: CheckedProof,
  source: ProofSource,
): Promise<EftOrderRecord> {
  const before = await readLockedOrder(tx, await lockOrderForChange(tx, id));
  const from = statusAt(before, ctx.now);
  const status = moveEftOrder(from, "upload");
  if (!status) throw invalid(refusalMessage(from, "upload"));
  const proof = newProof(ctx, file, source);
  const known = before.proofs.some(({ sha256 }) => sha256 === proof.sha256);
  if (known && from === status) return before;
  if (!known && before.proofs.length >= PROOFS_MAX)
    throw invalid(`This EFT order has ${PROOFS_MAX} proofs already, and takes no more.`);
  if (!known) insertProof(tx, before.id, proof, file.bytes);
  updateEftOrder(tx, { ...before, status });
  const after = await readLockedOrder(tx, before);
  appendEvent(tx, ctx.now, EFT_PROOF_RECEIVED, after.id, await eftOrderObject(tx, ctx, after));
  await alertProof(tx, ctx, after);
  return after;
}

const newProof = (ctx: Ctx, { name, bytes, type, sha256 }: CheckedProof, source: ProofSource): Proof => ({
  id: newId("prf"),
  fileName: proofFileName(name, type),
  contentType: type,
  size: bytes.length,
  source,
  sha256,
  createdAt: ctx.now,
});
