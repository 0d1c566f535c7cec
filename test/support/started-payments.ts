import { after, before, beforeEach } from "node:test";
import { type LinkPaymentStart, startLinkPayment } from "../../src/flows/payment-links/start-link-payment.ts";
import type { PaymentLinkId } from "../../src/kernel/ids.ts";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import { type ApiMerchant, openApi, type TestApi } from "./api.ts";
import { CREDENTIALS, openStandIn, type StandIn } from "./payments.ts";

/** The time of these merchants. */
export const NOW = "2027-03-01T10:00:00.000Z";

interface Shop extends ApiMerchant {
  readonly account: GatewayAccount;
}

/** Payments that are started through a stand-in of the sandbox gateway. `api` and `gateway` exist during tests only. */
export interface StartedPayments {
  readonly api: TestApi;
  /** Starts every payment that it is asked for; a test sets its other replies. */
  readonly gateway: StandIn;
  addShop(facts?: Partial<Organisation>): Promise<Shop>;
  /** A payment link of 100.00; answers its id. */
  addLink(shop: ApiMerchant, fields?: object): Promise<string>;
  start(shop: Shop, linkId: string, gatewayId?: string): Promise<LinkPaymentStart>;
  /** `start`, on a link of its own; answers the reference. Throws when the payment was not started. */
  started(shop: Shop): Promise<string>;
  shown(shop: ApiMerchant, reference: string): Promise<Record<string, unknown>>;
  /** Types of the payment's events, oldest first. */
  events(reference: string): Promise<string[]>;
  idOf(reference: string): Promise<string>;
  /** Time of the next query to the gateway; null: none is due. */
  nextCheckOf(reference: string): Promise<string | null>;
}

/** The reference of a payment that was started. Throws when it was not. */
export function referenceOf(begun: LinkPaymentStart): string {
  if (!("reference" in begun)) throw new Error(JSON.stringify(begun));
  return begun.reference;
}

/** Opens API and stand-in before the tests of the file and closes them after them. */
export function setUpStartedPayments(): StartedPayments {
  let gateway: StandIn;
  let api: TestApi;
  before(async () => {
    gateway = await openStandIn();
    api = await openApi({ GATEWAY_URL_SANDBOX: gateway.url });
  });
  after(async () => {
    await api.close();
    await gateway.close();
  });
  beforeEach(() => {
    gateway.calls.length = 0;
    gateway.replies.clear();
    gateway.replies.set("POST checkouts", ({ body }) => ({
      status: 201,
      json: { id: `sbc_${body["reference"]}`, redirectUrl: "https://pay.example/x" },
    }));
  });
  const addLink: StartedPayments["addLink"] = async (shop, fields = {}) =>
    String((await shop.post("/payment-links", { title: "Deposit", amount: 100, ...fields })).body["id"]);
  const start: StartedPayments["start"] = async (shop, linkId, gatewayId = shop.account.id) => {
    const choice = { gatewayId, amount: null, email: "payer@example.org", firstName: "Nandi", lastName: null };
    const pages = (reference: string) => ({
      returnUrl: `${api.baseUrl}/back/${reference}`,
      cancelUrl: `${api.baseUrl}/no/${reference}`,
    });
    return startLinkPayment(api.services, await shop.ctx(), linkId as PaymentLinkId, choice, pages);
  };
  const idOf: StartedPayments["idOf"] = async (reference) =>
    (await api.query<{ id: string }>("select id from transactions where reference = $1", reference))[0]?.id ?? "";
  return {
    get api() {
      return api;
    },
    get gateway() {
      return gateway;
    },
    addShop: async (facts = {}) => {
      const shop = await api.addMerchant({ clockAt: new Date(NOW) as never, ...facts });
      return { ...shop, account: await shop.addGateway({ credentials: CREDENTIALS, currencies: ["ZAR", "USD"] }) };
    },
    addLink,
    start,
    started: async (shop) => referenceOf(await start(shop, await addLink(shop))),
    shown: async (shop, reference) => (await shop.get(`/transactions/${reference}`)).body,
    events: async (reference) =>
      (await api.query<{ type: string }>("select type from events where subject = $1 order by id", reference)).map(
        ({ type }) => type,
      ),
    idOf,
    nextCheckOf: async (reference) => {
      const [work] = await api.query<{ due_at: Date }>(
        "select due_at from due_work where kind = 'payment.check' and subject = $1",
        await idOf(reference),
      );
      return work?.due_at.toISOString() ?? null;
    },
  };
}
