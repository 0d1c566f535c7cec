import { assert } from "../../kernel/assert.ts";
import { notFound } from "../../kernel/errors.ts";
import { findEftOrder, lockEftOrder } from "../../modules/eft-orders/store.ts";
import type { EftOrder, EftOrderRecord } from "../../modules/eft-orders/types.ts";
import type { Tx } from "../../platform/database.ts";

/** Locked until the transaction ends, so that of two moves at once the second sees what the first made of it. 404. */
export async function lockOrderForChange(tx: Tx, id: string): Promise<EftOrder> {
  const order = await lockEftOrder(tx, id);
  if (!order) throw notFound("EFT order");
  return order;
}

/** A locked order with all that it shows, and what this transaction has made of it by now. */
export async function readLockedOrder(tx: Tx, { id }: Pick<EftOrder, "id">): Promise<EftOrderRecord> {
  const record = await findEftOrder(tx, id);
  assert(record, "a locked order stays");
  return record;
}
