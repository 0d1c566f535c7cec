import { after, before, beforeEach } from "node:test";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import { type Answer, type ApiMerchant, openApi, type Refusal, type StaffCall, type TestApi } from "./api.ts";
import { addTransfers } from "./eft.ts";
import {
  addPayment,
  CREDENTIALS,
  notify,
  openStandIn,
  type PaymentRow,
  refundAnswer,
  reportedPayment,
  type StandIn,
} from "./payments.ts";

/** A transaction, as the API shows it. */
export interface ShownPayment extends Refusal {
  readonly status: string;
  readonly refundedAmount: number;
  readonly refunds: readonly Readonly<Record<string, unknown>>[];
  readonly flags: readonly string[];
}

/** A refund's row; `amount_cents` as text. */
export interface StoredRefund {
  readonly id: string;
  readonly status: string;
  readonly amount_cents: string;
  readonly provider_ref: string | null;
}

/** A merchant who refunds payments through a stand-in of the gateway. Members that are not functions exist during tests only. */
export interface RefundTests {
  /** Makes every refund at once, unless a test sets another reply. */
  readonly gateway: StandIn;
  readonly api: TestApi;
  readonly shop: ApiMerchant;
  /** Its payments are refunded through the gateway. */
  readonly account: GatewayAccount;
  /** Manual EFT: its payments are refunded by hand. */
  readonly byHand: GatewayAccount;
  /** Calls as the owner. */
  readonly staff: StaffCall;
  /** A complete payment of 100.00, as the gateway reported it; answers its reference. */
  paid(row?: PaymentRow): Promise<string>;
  /** A payment of 100.00 for an invoice of another amount; default: 70. */
  partlyOverpaid(facts?: { invoice?: number }): Promise<{ customerId: string; invoiceId: string; reference: string }>;
  refund(reference: string, body?: unknown): Promise<Answer<ShownPayment>>;
  shown(reference: string): Promise<ShownPayment>;
  /** Types of the payment's events after `payment.complete`, oldest first. */
  events(reference: string): Promise<string[]>;
  rows(reference: string): Promise<StoredRefund[]>;
  /** Cents by ledger account of the payment and its refunds. */
  books(reference: string): Promise<Record<string, number>>;
}

/** Opens the API and the stand-in before the tests of the file and closes both after them. */
export function setUpRefunds(): RefundTests {
  let opened: Pick<RefundTests, "gateway" | "api" | "shop" | "account" | "byHand" | "staff">;
  before(async () => {
    const gateway = await openStandIn();
    const api = await openApi({ GATEWAY_URL_SANDBOX: gateway.url });
    const shop = await api.addMerchant();
    const account = await shop.addGateway({ credentials: CREDENTIALS });
    opened = { gateway, api, shop, account, byHand: await addTransfers(shop), staff: await shop.signIn() };
  });
  after(async () => {
    await opened.api.close();
    await opened.gateway.close();
  });
  beforeEach(() => {
    const { calls, replies } = opened.gateway;
    calls.length = 0;
    replies.clear();
    replies.set("POST refunds", (call) => refundAnswer(call, "processed"));
  });
  const paid = async (row: PaymentRow = {}) => {
    const { api, shop, account } = opened;
    const reference = await addPayment(api, shop, account, row);
    await notify(api, account, { payment: reportedPayment(reference, "complete") });
    return reference;
  };
  return {
    get gateway() {
      return opened.gateway;
    },
    get api() {
      return opened.api;
    },
    get shop() {
      return opened.shop;
    },
    get account() {
      return opened.account;
    },
    get byHand() {
      return opened.byHand;
    },
    get staff() {
      return opened.staff;
    },
    paid,
    partlyOverpaid: async ({ invoice = 70 } = {}) => {
      const { shop } = opened;
      const customerId = String((await shop.post("/customers", {})).body["id"]);
      const lines = [{ description: "Rent", quantity: 1, unitPrice: invoice, taxRate: 0 }];
      const invoiceId = String((await shop.post("/invoices", { customerId, lines, send: true })).body["id"]);
      const body = { title: "Rent", amount: 100, invoiceId, customerId };
      const linkId = String((await shop.post("/payment-links", body)).body["id"]);
      return { customerId, invoiceId, reference: await paid({ linkId, customerId, invoiceId }) };
    },
    refund: (reference, body) => opened.staff("POST", `/transactions/${reference}/refunds`, body),
    shown: async (reference) => (await opened.shop.get<ShownPayment>(`/transactions/${reference}`)).body,
    ...stored((sql, ...values) => opened.api.query(sql, ...values)),
  };
}

/** What the database holds of refunds. */
function stored(query: TestApi["query"]): Pick<RefundTests, "events" | "rows" | "books"> {
  return {
    events: async (reference) =>
      (
        await query<{ type: string }>(
          "select type from events where subject = $1 and type like 'payment.%' and type <> 'payment.complete' order by id",
          reference,
        )
      ).map(({ type }) => type),
    rows: (reference) =>
      query<StoredRefund>(
        "select r.* from refunds r join transactions t on t.organisation_id = r.organisation_id and t.id = r.transaction_id where t.reference = $1 order by r.id",
        reference,
      ),
    books: async (reference) => {
      const lines = await query<{ account: string; sum: string }>(
        `select l.account, sum(l.amount_cents) as sum from journal_entries e join journal_lines l on l.organisation_id = e.organisation_id and l.entry_id = e.id
          where e.subject = $1 or e.subject = any(select r.id from refunds r join transactions t on t.id = r.transaction_id where t.reference = $1)
          group by l.account`,
        reference,
      );
      return Object.fromEntries(lines.map(({ account, sum }) => [account, Number(sum)]));
    },
  };
}

/** Status, refunded amount and the statuses of the refunds. */
export const summary = ({ status, refundedAmount, refunds }: ShownPayment): unknown[] => [
  status,
  refundedAmount,
  refunds.map((given) => given["status"]),
];
