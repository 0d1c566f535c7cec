import { newCheckoutReference } from "../../src/domain/new-references.ts";
import type { Ctx } from "../../src/flows/context.ts";
import { applyDisputeFact } from "../../src/flows/payments/apply-dispute.ts";
import { applyReversalFact } from "../../src/flows/payments/apply-reversal.ts";
import { settlePayment } from "../../src/flows/payments/settle-payment.ts";
import type { Services } from "../../src/flows/services.ts";
import { internalFact } from "../../src/gateways/facts.ts";
import { assert } from "../../src/kernel/assert.ts";
import { cents } from "../../src/kernel/money.ts";
import { listGatewayAccounts } from "../../src/modules/gateway-accounts/store.ts";
import { newTransaction } from "../../src/modules/payments/rules.ts";
import { insertTransaction } from "../../src/modules/payments/store/payments.ts";
import { newId } from "../../src/platform/new-id.ts";
import type { PlantedFault } from "./planted-faults.ts";

/** Adds disputes of payments, by the product's own flows: one that was won, and one that is open. */
export async function addDisputes({ db }: Services, ctx: Ctx): Promise<void> {
  for (const id of ["won", "open"])
    await db.transaction(ctx.organisation.id, async (tx) => {
      const [account] = await listGatewayAccounts(tx);
      assert(account, "the organisation has a gateway");
      const payment = newTransaction({
        ...{ id: newId("txn"), reference: newCheckoutReference(ctx.now), amount: cents(7000), currency: "ZAR" },
        ...{ type: "once", gatewayAccountId: account.id, gatewayType: account.type, sandbox: true },
        ...{ description: `dispute ${id}`, createdAt: ctx.now },
      });
      const { reference, amount, currency } = payment;
      const reportedBy = { accountId: account.id, source: "notification" } as const;
      insertTransaction(tx, payment);
      const paid = { ...internalFact(reference, ""), kind: "paid", amount, currency, fee: null } as const;
      await settlePayment(tx, ctx, reportedBy, paid);
      const report = {
        occurredAt: null,
        gatewayWord: "",
        reference,
        providerRef: null,
        amount,
        reason: "Stolen",
      } as const;
      await applyReversalFact(tx, ctx, reportedBy, {
        ...{ ...report, about: "reversal", code: id, hard: true },
        dispute: { id, code: "fraud", respondBy: ctx.now, lost: false },
      });
      if (id === "won")
        await applyDisputeFact(tx, ctx, reportedBy, { ...report, about: "dispute", kind: "won", disputeId: id });
    });
}

const dispute = (id: string) => `(select id from disputes where gateway_dispute_id = '${id}')`;
const change = (id: string, columns: string) => `update disputes set ${columns} where gateway_dispute_id = '${id}'`;

/** Of what `addDisputes` made: at least one for every rule about disputes. */
export const DISPUTE_FAULTS: readonly PlantedFault[] = [
  ["disputes.dispute_currency", dispute("open"), change("open", "currency = 'USD'")],
  ["disputes.dispute_amount", dispute("open"), change("open", "amount_cents = 7001")],
  [
    "disputes.dispute_reversal",
    dispute("open"),
    change("open", "reversal_id = (select reversal_id from disputes where gateway_dispute_id = 'won')"),
  ],
  ["disputes.dispute_given_back", dispute("won"), change("won", "status = 'lost'")],
  [
    "disputes.dispute_given_back_amount",
    dispute("won"),
    "update reversals set amount_cents = -6999 where amount_cents < 0",
  ],
  ["disputes.dispute_opened_event", dispute("open"), "delete from events where type = 'dispute.opened'"],
  ["disputes.dispute_closed_event", dispute("won"), "delete from events where type = 'dispute.closed'"],
];
