// Writes: mandate_agreements. Reads nothing else. Changes are made under the lock of the mandate.

import type { MandateAgreementsRow } from "../../domain/rows.ts";
import { assert } from "../../kernel/assert.ts";
import type { MandateAgreementId, MandateId } from "../../kernel/ids.ts";
import type { Tx } from "../../platform/database.ts";
import type { MandateAgreement, Signature } from "./types.ts";

const fromRow = (row: MandateAgreementsRow): MandateAgreement => ({
  id: row.id,
  mandateId: row.mandate_id,
  status: row.status,
  tokenHash: row.token_hash,
  document: row.document,
  documentSha256: row.document_sha256,
  notes: row.notes,
  emailed: row.emailed,
  expiresAt: row.expires_at,
  signature: signatureFromRow(row),
  createdAt: row.created_at,
});

function signatureFromRow(row: MandateAgreementsRow): Signature | null {
  if (row.signed_at === null) return null;
  assert(row.signer_name !== null && row.consent_text !== null, "a signed agreement has its evidence");
  return {
    signedAt: row.signed_at,
    name: row.signer_name,
    consent: row.consent_text,
    address: row.signer_address,
    userAgent: row.signer_user_agent,
  };
}

/** Inserts an open agreement. The mandate has no other open one. */
export function insertAgreement(tx: Tx, agreement: MandateAgreement): void {
  tx.queue`
    insert into mandate_agreements (organisation_id, id, mandate_id, status, token_hash, document, document_sha256, notes, emailed,
      expires_at, created_at)
    values (${tx.organisation}, ${agreement.id}, ${agreement.mandateId}, ${agreement.status}, ${agreement.tokenHash},
      ${agreement.document}, ${agreement.documentSha256}, ${agreement.notes}, ${agreement.emailed}, ${agreement.expiresAt},
      ${agreement.createdAt})`;
}

/** Null when absent or another organisation's. */
export async function findAgreement(tx: Tx, id: string): Promise<MandateAgreement | null> {
  const [row] = await tx.sql<MandateAgreementsRow>`
    select * from mandate_agreements where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? fromRow(row) : null;
}

/** The agreement of a sign URL's token; null for an unknown one. */
export async function findAgreementByToken(tx: Tx, hash: Buffer): Promise<MandateAgreement | null> {
  const [row] = await tx.sql<MandateAgreementsRow>`
    select * from mandate_agreements where organisation_id = ${tx.organisation} and token_hash = ${hash}`;
  return row ? fromRow(row) : null;
}

/** The ids of a mandate's agreements, newest first, at most 100. */
export async function agreementsOf(tx: Tx, mandate: string): Promise<readonly string[]> {
  const rows = await tx.sql<{ id: string }>`
    select id from mandate_agreements where organisation_id = ${tx.organisation} and mandate_id = ${mandate} order by id desc limit 100`;
  return rows.map(({ id }) => id);
}

/** The open agreement of a mandate, as stored; null when it has none. */
export async function findOpenAgreement(tx: Tx, mandate: MandateId): Promise<MandateAgreement | null> {
  const [row] = await tx.sql<MandateAgreementsRow>`
    select * from mandate_agreements where organisation_id = ${tx.organisation} and mandate_id = ${mandate} and status = 'open'`;
  return row ? fromRow(row) : null;
}

/** Ends the open agreement of a mandate, if it has one; answers its id. */
export async function closeOpenAgreement(
  tx: Tx,
  mandate: MandateId,
  status: "cancelled" | "expired",
): Promise<MandateAgreementId | null> {
  const [row] = await tx.sql<{ id: MandateAgreementId }>`
    update mandate_agreements set status = ${status}
     where organisation_id = ${tx.organisation} and mandate_id = ${mandate} and status = 'open' returning id`;
  return row?.id ?? null;
}

/** Stores the signature of an open agreement. */
export function saveSignature(tx: Tx, id: MandateAgreementId, signature: Signature): void {
  tx.queue`
    update mandate_agreements set status = 'signed', signed_at = ${signature.signedAt}, signer_name = ${signature.name},
      consent_text = ${signature.consent}, signer_address = ${signature.address}, signer_user_agent = ${signature.userAgent}
     where organisation_id = ${tx.organisation} and id = ${id} and status = 'open'`;
}
