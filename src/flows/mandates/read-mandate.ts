import { assert } from "../../kernel/assert.ts";
import { notFound } from "../../kernel/errors.ts";
import type { MandateId } from "../../kernel/ids.ts";
import { findMandate, lockMandate } from "../../modules/mandates/store.ts";
import type { Mandate, MandateRecord } from "../../modules/mandates/types.ts";
import type { Tx } from "../../platform/database.ts";

/** Locks the mandate until the transaction ends, so that changes of it run one after the other. Throws 404. */
export async function lockMandateForChange(tx: Tx, id: string): Promise<Mandate> {
  const mandate = await lockMandate(tx, id);
  if (!mandate) throw notFound("mandate");
  return mandate;
}

/** Reads a mandate that exists, including the changes of this transaction. */
export async function readMandate(tx: Tx, id: MandateId): Promise<MandateRecord> {
  const record = await findMandate(tx, id);
  assert(record, "a locked mandate stays");
  return record;
}
