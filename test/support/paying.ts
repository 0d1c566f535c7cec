import { after, before } from "node:test";
import type { Payment } from "../../src/gateways/sandbox/wire.ts";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import { type Answer, type ApiMerchant, openApi, type TestApi } from "./api.ts";
import { addPayment, CREDENTIALS, notify, type PaymentRow, reportedPayment } from "./payments.ts";

/** An event of a payment, as it is stored. */
export interface PaymentEvent {
  readonly type: string;
  readonly subject: string;
  readonly sequence: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/**
 * One merchant with one sandbox account, what its gateway reports and what the service makes of it. `api`, `shop` and
 * `account` exist during tests only.
 */
export interface PaymentTests {
  readonly api: TestApi;
  readonly shop: ApiMerchant;
  readonly account: GatewayAccount;
  /** A payment link of 100.00; answers its id. */
  addLink(fields?: object): Promise<string>;
  addCustomer(): Promise<string>;
  /** Stores an attempt of 100.00 through the account; answers its reference. */
  pending(row?: PaymentRow): Promise<string>;
  /** The account's gateway reports a status. */
  notifyOf(reference: string, status: Payment["status"], facts?: Partial<Payment>): Promise<Answer<unknown>>;
  /** The transaction, as the API shows it. */
  shown(reference: string): Promise<Record<string, unknown>>;
  /** The payment link, as the API shows it. */
  link(id: string): Promise<Record<string, unknown>>;
  /** Events of these payments, oldest first. */
  events(...subjects: string[]): Promise<PaymentEvent[]>;
  /** Journal lines of a payment or refund: ledger account, cents and customer, in order. */
  posted(subject: string): Promise<unknown[][]>;
  /** How many journal entries a payment has. */
  entries(subject: string): Promise<number>;
  /** What became of each notification about a payment, oldest first. */
  outcomes(reference: string): Promise<string[]>;
  /** Types of the events whose reactions (receipt, webhooks) are due. */
  reactions(reference: string): Promise<string[]>;
}

/** Opens the API before the tests of the file and closes it after them. */
export function setUpPayments(): PaymentTests {
  let api: TestApi;
  let shop: ApiMerchant;
  let account: GatewayAccount;
  before(async () => {
    api = await openApi();
    shop = await api.addMerchant();
    account = await shop.addGateway({ credentials: CREDENTIALS });
  });
  after(() => api.close());
  return {
    get api() {
      return api;
    },
    get shop() {
      return shop;
    },
    get account() {
      return account;
    },
    addLink: async (fields = {}) =>
      String((await shop.post("/payment-links", { title: "Deposit", amount: 100, ...fields })).body["id"]),
    addCustomer: async () => String((await shop.post("/customers", {})).body["id"]),
    pending: (row = {}) => addPayment(api, shop, account, row),
    notifyOf: (reference, status, facts = {}) =>
      notify(api, account, { payment: reportedPayment(reference, status, facts) }),
    shown: async (reference) => (await shop.get(`/transactions/${reference}`)).body,
    link: async (id) => (await shop.get(`/payment-links/${id}`)).body,
    ...stored((sql, ...values) => api.query(sql, ...values)),
  };
}

/** What the database holds of payments. */
function stored(
  query: TestApi["query"],
): Pick<PaymentTests, "events" | "posted" | "entries" | "outcomes" | "reactions"> {
  return {
    events: (...subjects) =>
      query<PaymentEvent>(
        "select type, subject, sequence, data from events where subject = any($1) and type like 'payment.%' order by id",
        subjects,
      ),
    posted: async (subject) =>
      (
        await query<{ account: string; amount_cents: string; customer_id: string | null }>(
          `select l.account, l.amount_cents, l.customer_id from journal_entries e join journal_lines l on l.organisation_id = e.organisation_id
             and l.entry_id = e.id where e.subject = $1 order by l.line`,
          subject,
        )
      ).map((line) => [line.account, Number(line.amount_cents), line.customer_id]),
    entries: async (subject) => (await query("select from journal_entries where subject = $1", subject)).length,
    outcomes: async (reference) =>
      (
        await query<{ outcome: string }>(
          "select outcome from gateway_notifications where reference = $1 order by id",
          reference,
        )
      ).map(({ outcome }) => outcome),
    reactions: async (reference) =>
      (
        await query<{ type: string }>(
          "select e.type from due_work d join events e on e.id = d.subject and e.organisation_id = d.organisation_id where d.kind = 'event.react' and e.subject = $1",
          reference,
        )
      ).map(({ type }) => type),
  };
}
