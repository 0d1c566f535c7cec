import { vatWithin } from "../../kernel/lines.ts";
import { ZERO } from "../../kernel/money.ts";
import { debitOfTransaction } from "../../modules/debit-batches/store.ts";
import { lockMandate, saveCollected, saveUnpaid } from "../../modules/mandates/store.ts";
import { findProduct } from "../../modules/products/store.ts";
import type { Ctx } from "../context.ts";
import type { Purpose } from "../payments/purpose.ts";

/**
 * A debit of a mandate (interface 3.5): one that is collected ends the row of unpaid ones; one that is unpaid, or comes back after it was
 * collected, counts, and the third in a row pauses the mandate. Locks the mandate.
 */
export const debitPurpose: Purpose<Ctx> = {
  locks: "mandate",
  async lock(tx, ctx, { id, type, amount }, move) {
    if (type !== "debit_order" || move === "refunded") return null;
    const debit = await debitOfTransaction(tx, id);
    const mandate = debit && (await lockMandate(tx, debit.mandateId));
    if (!mandate) return null;
    const countUnpaid = async () => void (await saveUnpaid(tx, ctx.now, [mandate.id]));
    return {
      async split() {
        const product = mandate.productId ? await findProduct(tx, mandate.productId) : null;
        return { applied: ZERO, overpaid: ZERO, vat: product ? vatWithin(amount, product.taxRate) : ZERO };
      },
      complete: () => saveCollected(tx, ctx.now, [{ id: mandate.id, on: debit.debitDate }]),
      fail: countUnpaid,
      reverse: countUnpaid,
    };
  },
};
