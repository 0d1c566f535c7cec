// Writes: portal_links, portal_sessions. Reads nothing else.

import type { PortalSessionsRow } from "../../domain/rows.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";
import type { Tx } from "../../platform/database.ts";

/** A sign-in link or session; only the hash of its token is stored (decisions.md#shown-once-is-hashed). */
export interface PortalAccess {
  readonly hash: Buffer;
  readonly customerId: CustomerId;
  readonly expiresAt: Instant;
  readonly createdAt: Instant;
  /** The API key or the member of staff who got the link's URL; null for a link that was mailed. A session has that of its link. */
  readonly issuedBy: string | null;
}

/** Inserts a sign-in link, and deletes the customer's links that expired before `forgetBefore`. */
export function insertPortalLink(tx: Tx, link: PortalAccess, forgetBefore: Instant): void {
  tx.queue`
    insert into portal_links (organisation_id, token_hash, customer_id, expires_at, created_at, issued_by)
    values (${tx.organisation}, ${link.hash}, ${link.customerId}, ${link.expiresAt}, ${link.createdAt}, ${link.issuedBy})`;
  tx.queue`
    delete from portal_links where organisation_id = ${tx.organisation} and customer_id = ${link.customerId}
        and expires_at < ${forgetBefore}`;
}

type SignedIn = Pick<PortalAccess, "customerId" | "issuedBy">;
type SignedInRow = Pick<PortalSessionsRow, "customer_id" | "issued_by">;

const signedIn = (row: SignedInRow | undefined): SignedIn | null =>
  row ? { customerId: row.customer_id, issuedBy: row.issued_by } : null;

/** Marks a link as used and returns its customer; of several calls at once one succeeds. Null when it is unknown, used or expired. */
export async function usePortalLink(tx: Tx, hash: Buffer, now: Instant): Promise<SignedIn | null> {
  const [row] = await tx.sql<SignedInRow>`
    update portal_links set used_at = ${now}
     where organisation_id = ${tx.organisation} and token_hash = ${hash} and used_at is null and expires_at > ${now}
     returning customer_id, issued_by`;
  return signedIn(row);
}

/** A link's customer, whether it was used and when it expires; null when there is no such link. */
export async function findPortalLink(
  tx: Tx,
  hash: Buffer,
): Promise<{ customerId: CustomerId; used: boolean; expiresAt: Instant } | null> {
  const [row] = await tx.sql<{ customer_id: CustomerId; used: boolean; expires_at: Instant }>`
    select customer_id, used_at is not null as used, expires_at
      from portal_links where organisation_id = ${tx.organisation} and token_hash = ${hash}`;
  return row ? { customerId: row.customer_id, used: row.used, expiresAt: row.expires_at } : null;
}

/** Inserts a session, and deletes the customer's expired sessions. */
export function insertPortalSession(tx: Tx, session: PortalAccess): void {
  tx.queue`
    insert into portal_sessions (organisation_id, token_hash, customer_id, expires_at, created_at, issued_by)
    values (${tx.organisation}, ${session.hash}, ${session.customerId}, ${session.expiresAt}, ${session.createdAt}, ${session.issuedBy})`;
  tx.queue`
    delete from portal_sessions
     where organisation_id = ${tx.organisation} and customer_id = ${session.customerId} and expires_at <= ${session.createdAt}`;
}

/** The customer of a session; null when it is unknown or expired. */
export async function findPortalSession(tx: Tx, hash: Buffer, now: Instant): Promise<SignedIn | null> {
  const [row] = await tx.sql<SignedInRow>`
    select customer_id, issued_by from portal_sessions
     where organisation_id = ${tx.organisation} and token_hash = ${hash} and expires_at > ${now}`;
  return signedIn(row);
}

/** Deletes a session. */
export function deletePortalSession(tx: Tx, hash: Buffer): void {
  tx.queue`delete from portal_sessions where organisation_id = ${tx.organisation} and token_hash = ${hash}`;
}
