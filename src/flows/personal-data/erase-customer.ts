import { appendEvent } from "../../events/outbox.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import { addDays, startOfDay } from "../../kernel/time.ts";
import { lockCustomerBalance } from "../../modules/books/store.ts";
import { cardsOfCustomer, TOKEN_COLUMN } from "../../modules/cards/store.ts";
import { findCustomer, lockCustomerForUpdate, updateCustomer } from "../../modules/customers/store.ts";
import { ACCOUNT_NUMBER_COLUMN } from "../../modules/mandates/store.ts";
import { CUSTOMER_ERASED, ERASE_KEPT } from "../../modules/personal-data/declarations.ts";
import { keptUntil, WHY, whyNot } from "../../modules/personal-data/rules.ts";
import {
  eraseCustomer,
  eraseRetained,
  findErasure,
  insertErasure,
  lockPaymentsOf,
  retainedRecords,
  unfinishedOf,
} from "../../modules/personal-data/store.ts";
import type { Erasure } from "../../modules/personal-data/types.ts";
import { erasureView } from "../../modules/personal-data/view.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { removeCard } from "../cards/change-cards.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { withUpdatedStanding } from "../customers/update-standing.ts";

/**
 * Erases the personal data of a customer (interface 18.7): saved cards are removed, and the customer becomes inactive
 * and nameless (decisions.md#erased-by-the-database). `tables` in each module's `record.ts` say what becomes of each
 * column; records that the law requires to be kept are kept for their time, and then erased by due work. An erased
 * customer is returned unchanged. Locks the customer's cards, balance, payments and the customer. Throws 404; 409
 * `invalid_state` while invoices, mandates, subscriptions, payments or refunds are open.
 */
export async function erasePersonalData(tx: Tx, ctx: Ctx, id: string): Promise<Erasure> {
  const known = await findCustomer(tx, id);
  if (!known) throw notFound("customer");
  const before = await findErasure(tx, known.id);
  if (before) return before;
  for (const card of await cardsOfCustomer(tx, known.id))
    if (card.status !== "removed") await removeCard(tx, ctx, known.id, card.id);
  lockCustomerBalance(tx, known.id, DEFAULT_CURRENCY);
  await lockPaymentsOf(tx, known.id);
  const customer = await lockCustomerForUpdate(tx, known.id);
  if (!customer) throw notFound("customer");
  const earlierErasure = await findErasure(tx, customer.id);
  if (earlierErasure) return earlierErasure;
  const unfinished = await unfinishedOf(tx, customer.id);
  if (unfinished.length > 0) throw new ApiError("invalid_state", 409, whyNot(unfinished));
  updateCustomer(tx, await withUpdatedStanding(tx, ctx, { ...customer, active: false, updatedAt: ctx.now }));
  const kept = await retainedRecords(tx, customer.id);
  const last = kept[0]?.last;
  const sealedNothing = ctx.secrets.seal("", { organisation: ctx.organisation.id, column: TOKEN_COLUMN });
  const erased = await eraseCustomer(tx, customer.id, sealedNothing);
  const erasure: Erasure = {
    customerId: customer.id,
    erasedAt: ctx.now,
    erased,
    kept: kept.map(({ kept: what, count }) => ({ what, count, why: WHY[what] })),
    keptUntil: last ? keptUntil(last) : null,
    keptErasedAt: null,
  };
  insertErasure(tx, erasure);
  if (erasure.keptUntil) enqueue(tx, ERASE_KEPT, customer.id, startOfDay(addDays(erasure.keptUntil, 1)));
  appendEvent(tx, ctx.now, CUSTOMER_ERASED, customer.id, erasureView(erasure));
  return erasure;
}

/** Locks an erased customer, for the due work that erases the kept records. */
export const lockErased = async (tx: Tx, id: string): Promise<CustomerId | null> =>
  (await lockCustomerForUpdate(tx, id))?.id ?? null;

/** Erases the records that were kept for an erased customer. */
export async function eraseAfterRetention(tx: Tx, ctx: Ctx, id: CustomerId): Promise<null> {
  const sealedNothing = ctx.secrets.seal("", { organisation: ctx.organisation.id, column: ACCOUNT_NUMBER_COLUMN });
  await eraseRetained(tx, id, sealedNothing, ctx.now);
  return null;
}
