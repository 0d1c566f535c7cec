import assert from "node:assert/strict";
import type { TestApi } from "./api.ts";
import { begin, type CardShop, choiceOf, choose, openCardShop, postForm, VISA } from "./cards.ts";
import { CREDENTIALS } from "./payments.ts";

/** A customer subscription, as the API answers it. */
export interface ShownCollected extends Record<string, unknown> {
  readonly id: string;
  readonly status: string;
  readonly payment: { readonly due: boolean; readonly url: string | null };
  readonly card: { readonly id: string; readonly last4: string } | null;
  readonly lastInvoice: { readonly id: string; readonly status: string; readonly amountDue: number } | null;
}

/** A card shop whose clock stands at 12:00 South African time of 1 March 2027, with a plan of 100.00 a month with VAT in it. */
export interface CollectingShop extends CardShop {
  readonly planId: string;
  /** Creates a `gateway` subscription of the shop's customer. */
  subscribe(fields?: object): Promise<ShownCollected>;
  now(id: string): Promise<ShownCollected>;
  /** Pays what is due on the hosted page with a card. */
  pay(of: ShownCollected, card?: string, more?: Readonly<Record<string, string>>): Promise<void>;
  /** Pays what is due by a saved card, on the page that confirms the amount. */
  payBySavedCard(of: ShownCollected, card: string): Promise<void>;
  /** Types of the subscription's events, oldest first. */
  told(id: string): Promise<string[]>;
  /** Newest first. */
  invoices(id: string): Promise<Record<string, unknown>[]>;
  /** The organisation's payments of subscriptions, oldest first: type, status, in rand. */
  payments(): Promise<{ type: string; status: string; amount: number; renewal: boolean; on: string }[]>;
}

/** Opens such a shop; its gateway account has the credentials that `notify` signs with. */
export async function openCollectingShop(api: TestApi): Promise<CollectingShop> {
  const stage = await openCardShop(api, {}, { credentials: CREDENTIALS });
  const { shop } = stage;
  const made = async (path: string, body: object) => {
    const answer = await shop.post<{ id: string }>(path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body.id;
  };
  const packageId = await made("/packages", { name: "Hosting" });
  const plan = { name: "Gold", amount: 100, frequency: "monthly", taxInclusive: true };
  const planId = await made(`/packages/${packageId}/plans`, plan);
  return {
    ...stage,
    planId,
    async subscribe(fields = {}) {
      const body = { customer: { id: stage.customer }, planId, collectionMethod: "gateway", ...fields };
      const answer = await shop.post<ShownCollected>("/customer-subscriptions", body);
      assert.equal(answer.status, 201, answer.text);
      return answer.body;
    },
    now: async (id) => (await shop.get<ShownCollected>(`/customer-subscriptions/${id}`)).body,
    async pay({ payment: { url } }, card = VISA, more = {}) {
      assert.ok(url, "something is to pay");
      const { gatewayUrl } = await begin(stage, url);
      const { saveCard: _unticked, ...choice } = choiceOf(card, more);
      await choose(stage, gatewayUrl, choice);
    },
    async payBySavedCard({ payment: { url } }, card) {
      const answer = await postForm(api, `${url}/card/${card}`, { action: "confirm" });
      assert.equal(answer.status, 303, answer.text);
    },
    async told(id) {
      const rows = await api.query<{ type: string }>(
        "select type from events where organisation_id = $1 and subject = $2 order by id",
        shop.organisation.id,
        id,
      );
      return rows.map(({ type }) => type);
    },
    invoices: async (id) =>
      (await shop.get<{ data: Record<string, unknown>[] }>(`/customer-subscriptions/${id}/invoices?limit=100`)).body
        .data,
    payments: () =>
      api.query(
        `select type, status, (amount_cents / 100)::integer as amount, renewal, (created_at at time zone 'Africa/Johannesburg')::date::text as on
           from transactions where organisation_id = $1 and subscription_id is not null order by id`,
        shop.organisation.id,
      ),
  };
}
