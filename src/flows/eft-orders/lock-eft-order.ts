import { assert } from "../../kernel/assert.ts";
import { notFound } from "../../kernel/errors.ts";
import { findEftOrder, lockEftOrder } from "../../modules/eft-orders/store.ts";
import type { EftOrder, EftOrderRecord } from "../../modules/eft-orders/types.ts";
import type { Tx } from "../../platform/database.ts";

/** Locks the order until the transaction ends, so that its changes run one after the other. Throws 404. */
export async function lockOrderForChange(tx: Tx, id: string): Promise<EftOrder> {
  const order = await lockEftOrder(tx, id);
  if (!order) throw notFound("EFT order");
  return order;
}

/** Reads a locked order with its customer and proofs, including the changes of this transaction. */
export async function readLockedOrder(tx: Tx, { id }: Pick<EftOrder, "id">): Promise<EftOrderRecord> {
  const record = await findEftOrder(tx, id);
  assert(record, "a locked order stays");
  return record;
}
