import type { Answer, ApiMerchant, Sent, TestApi } from "./api.ts";

/** Interface 2.6, as every answer and event shows it. */
export interface QuoteAnswer {
  readonly id: string;
  readonly number: string;
  readonly status: string;
  readonly expiryDate: string | null;
  readonly subtotal: number;
  readonly taxAmount: number;
  readonly total: number;
  readonly lineItems: readonly Readonly<Record<string, unknown>>[];
  readonly invoice: Readonly<Record<string, unknown>> | null;
  readonly [field: string]: unknown;
}

/** Where the clock of the merchants who test quotes stands: 12:00 South African time. */
export const NOW = "2027-03-01T10:00:00.000Z";
export const TODAY = "2027-03-01";

/** A merchant whose clock stands at NOW, with a gateway and a customer to quote to. */
export interface Quoting {
  readonly merchant: ApiMerchant;
  readonly customerId: string;
  /** Fields that replace those of a valid body. */
  create<Body = QuoteAnswer>(fields?: object, sent?: Sent): Promise<Answer<Body>>;
  /** Events of the quote, oldest first. */
  eventsOf(id: string): Promise<{ type: string; data: QuoteAnswer }[]>;
}

/** A line that comes to 100.00 without VAT. */
export const LINE = { description: "Painting", quantity: 2, unitPrice: 50 };

/** Adds a merchant to the API. */
export async function openQuoting(api: TestApi): Promise<Quoting> {
  const merchant = await api.addMerchant({ clockAt: new Date(NOW) as never });
  await merchant.addGateway();
  const { body } = await merchant.post<{ id: string }>("/customers", {
    externalReference: "shop-17",
    email: "thandi@example.co.za",
    firstName: "Thandi",
  });
  return {
    merchant,
    customerId: body.id,
    create: (fields = {}, sent = {}) =>
      merchant.post("/quotes", { customerId: body.id, lineItems: [LINE], ...fields }, sent),
    eventsOf: (id) =>
      api.query<{ type: string; data: QuoteAnswer }>(
        "select type, data from events where organisation_id = $1 and subject = $2 order by sequence",
        merchant.organisation.id,
        id,
      ),
  };
}
