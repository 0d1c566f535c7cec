import type { Payment } from "../../src/gateways/sandbox/wire.ts";
import type { Email } from "../../src/modules/emails/types.ts";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import type { Answer, ApiMerchant, Sent, TestApi } from "./api.ts";
import { mailsOf } from "./mails.ts";
import { addPayment, CREDENTIALS, notify, reportedPayment } from "./payments.ts";

/** Interface 2.5, as every answer and event shows it. */
export interface InvoiceAnswer {
  readonly id: string;
  readonly number: string;
  readonly status: string;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  readonly subtotal: number;
  readonly taxAmount: number;
  readonly total: number;
  readonly amountPaid: number;
  readonly amountDue: number;
  readonly payUrl: string | null;
  readonly notes: string | null;
  readonly [field: string]: unknown;
}

/** Interface 2.14, credit note. */
export interface CreditNoteAnswer {
  readonly id: string;
  readonly number: string;
  readonly status: string;
  readonly amount: number;
  readonly remaining: number;
  readonly applications: readonly { readonly invoiceId: string; readonly amount: number; readonly appliedAt: string }[];
  readonly [field: string]: unknown;
}

/** Where the clock of the merchants who test invoices stands: 12:00 South African time. */
export const NOW = "2027-03-01T10:00:00.000Z";
/** That day, and two weeks later, as timestamps of the API. */
export const ISSUED = "2027-02-28T22:00:00.000Z";
export const DUE = "2027-03-14T22:00:00.000Z";

/** The rate of an invoice in another currency. */
export const EXCHANGE = { rate: 18.5, date: "2026-06-30", source: "SARB" };

/** A line that comes to 100.00, 115.00 with VAT. */
export const LINE = { description: "Painting", quantity: 2, unitPrice: 50 };
/** A line that comes to `amount` with VAT of 0. */
export const exempt = (amount: number) => ({ description: "Rent", quantity: 1, unitPrice: amount, taxRate: 0 });

/** A merchant whose clock stands at NOW, with a gateway and a customer who is invoiced. */
export interface Invoicing {
  readonly merchant: ApiMerchant;
  readonly account: GatewayAccount;
  readonly customerId: string;
  /** Fields that replace those of a valid body. */
  create<Body = InvoiceAnswer>(fields?: object, sent?: Sent): Promise<Answer<Body>>;
  /** A sent invoice of `amount`, without VAT. */
  owe(amount: number, fields?: object): Promise<InvoiceAnswer>;
  show(id: string): Promise<InvoiceAnswer>;
  /** `POST /invoices/{id}/{action}`. */
  act<Body = InvoiceAnswer>(id: string, action: string, body?: unknown, sent?: Sent): Promise<Answer<Body>>;
  payOffline(id: string, amount: number, fields?: object): Promise<Answer<InvoiceAnswer>>;
  /** A pending payment on the invoice's own link; answers its reference. */
  attempt(id: string, amount: number): Promise<string>;
  /** The gateway reports that it is paid. */
  complete(reference: string, amount: number, facts?: Partial<Payment>): Promise<void>;
  /** `attempt`, then `complete`. */
  payOnline(id: string, amount: number): Promise<string>;
  /** Events of the record with this id or reference, oldest first. */
  eventsOf(subject: string): Promise<{ type: string; data: InvoiceAnswer }[]>;
  /** Mails about the invoice's number, oldest first. */
  mailsOf(number: string): Promise<Email[]>;
  /** Balances of the ledger accounts in cents, of this customer's lines and of lines without a customer. */
  books(): Promise<Readonly<Record<string, number>>>;
  /** The customer's standing, as the API shows it. */
  standing(): Promise<Readonly<Record<string, unknown>>>;
}

/** Adds a merchant to the API. */
export async function openInvoicing(api: TestApi, facts: Partial<Organisation> = {}): Promise<Invoicing> {
  const merchant = await api.addMerchant({ clockAt: new Date(NOW) as never, ...facts });
  const account = await merchant.addGateway({ credentials: CREDENTIALS });
  const organisation = merchant.organisation.id;
  const customer = await merchant.post<{ id: string }>("/customers", {
    externalReference: "shop-17",
    email: "thandi@example.co.za",
    firstName: "Thandi",
  });
  const customerId = customer.body.id;
  const create = <Body>(fields: object = {}, sent: Sent = {}) =>
    merchant.post<Body>("/invoices", { customerId, lines: [LINE], ...fields }, sent);
  const act = <Body>(id: string, action: string, body?: unknown, sent: Sent = {}) =>
    merchant.call<Body>("POST", `/invoices/${id}/${action}`, { body, ...sent });
  const attempt = async (id: string, amount: number) => {
    const [link] = await api.query<{ id: string }>(
      "select id from payment_links where organisation_id = $1 and invoice_id = $2 order by collects_balance desc, id desc limit 1",
      organisation,
      id,
    );
    const row = { linkId: link?.id ?? null, invoiceId: id, customerId, cents: Math.round(amount * 100) };
    return addPayment(api, merchant, account, row);
  };
  const complete = async (reference: string, amount: number, reported: Partial<Payment> = {}) => {
    const report = reportedPayment(reference, "complete", { amount: Math.round(amount * 100), ...reported });
    const { status } = await notify(api, account, { payment: report });
    if (status !== 200) throw new Error(`notification: ${status}`);
  };
  return {
    merchant,
    account,
    customerId,
    create,
    act,
    attempt,
    complete,
    owe: async (amount, fields = {}) =>
      (await create<InvoiceAnswer>({ lines: [exempt(amount)], send: true, ...fields })).body,
    show: async (id) => (await merchant.get<InvoiceAnswer>(`/invoices/${id}`)).body,
    payOffline: (id, amount, fields = {}) => act(id, "payments", { amount, method: "eft", ...fields }),
    payOnline: async (id, amount) => {
      const reference = await attempt(id, amount);
      await complete(reference, amount);
      return reference;
    },
    eventsOf: (subject) =>
      api.query(
        "select type, data from events where organisation_id = $1 and subject = $2 order by sequence",
        organisation,
        subject,
      ),
    mailsOf: (number) => mailsOf(api.services, merchant.organisation, { q: number }),
    books: async () => {
      const rows = await api.query<{ account: string; cents: string }>(
        `select account, sum(amount_cents) as cents from journal_lines where organisation_id = $1 group by account having sum(amount_cents) <> 0`,
        organisation,
      );
      return Object.fromEntries(rows.map(({ account: name, cents }) => [name, Number(cents)]));
    },
    standing: async () => (await merchant.get(`/customers/${customerId}/standing`)).body,
  };
}
