import assert from "node:assert/strict";
import type { TestApi } from "./api.ts";
import { type CollectingShop, openCollectingShop, type ShownCollected } from "./collected-subscriptions.ts";
import { addActiveMandate, mandateNow, type Shown } from "./mandates.ts";

/** Account numbers with which debits are returned unpaid. */
export const UNPAID_ACCOUNT = "62900417702";

/** A shop with a subscription that is collected by debit order. */
export interface DebitedShop extends CollectingShop {
  readonly sub: ShownCollected;
  readonly mandate: Shown;
  /** The subscription as it stands now. */
  current(): Promise<ShownCollected>;
  /** The mandate as it stands now. */
  mandateNow(): Promise<Shown>;
  /** Debits of the organisation, oldest first: reference without the mandate's own, status, rand, the number of the invoice's cycle. */
  debits(): Promise<string[]>;
  /** Attempts to collect the subscription, oldest first. */
  attempts(): Promise<Shown[]>;
}

/**
 * Opens a shop whose customer has subscribed on 1 March 2027 for 100.00 a month, with an active mandate that collects
 * it, on the fifth unless `given` says otherwise.
 */
export async function openDebitedShop(
  api: TestApi,
  { sub: fields = {}, given = {}, bank = {} }: { sub?: object; given?: object; bank?: object } = {},
): Promise<DebitedShop> {
  const stage = await openCollectingShop(api);
  const sub = await stage.subscribe({ collectionMethod: "debit_order", ...fields });
  const mandate = await addActiveMandate(stage, { amount: 100, debitDay: 5, subscriptionId: sub.id, ...given }, bank);
  return {
    ...stage,
    sub,
    mandate,
    current: () => stage.now(sub.id),
    mandateNow: () => mandateNow(stage, mandate),
    debits: () => debitsOf(stage),
    attempts: async () => {
      const path = `/customer-subscriptions/${sub.id}/attempts?limit=100`;
      const answer = await stage.shop.get<{ data: Shown[] }>(path);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.data.toReversed();
    },
  };
}

/** As `DebitedShop.debits`. */
export async function debitsOf({ api, shop }: CollectingShop): Promise<string[]> {
  const rows = await api.query<{ text: string }>(
    `select concat_ws(' ', split_part(t.reference, '-', 2) || coalesce('-' || nullif(split_part(t.reference, '-', 3), ''), ''), t.status,
            t.amount_cents / 100, i.cycle) as text
       from transactions t left join invoices i on i.organisation_id = t.organisation_id and i.id = t.invoice_id
      where t.organisation_id = $1 and t.type = 'debit_order' order by t.id`,
    shop.organisation.id,
  );
  return rows.map(({ text }) => text);
}
