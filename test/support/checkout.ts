import assert from "node:assert/strict";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import type { Answer, TestApi } from "./api.ts";
import { type CardShop, choose, openCardShop, type Shown } from "./cards.ts";

/** What a payer must enter. */
export const PAYER = { email: "thandi@example.co.za", firstName: "Thandi" };

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url, "http://none");
  return pathname + search;
};

/** The path of a checkout page. */
export const salePath = ({ shop }: CardShop, kind: "package" | "product", id: string): string =>
  `/c/${shop.organisation.slug}/${kind}/${id}`;

/** Opens a checkout page, as a browser does. */
export const openSale = ({ api }: CardShop, url: string, from?: string) =>
  api.call<unknown>("GET", pathOf(url), from === undefined ? {} : { from });

/** Posts a form to a checkout page, as a browser without script does. */
export const postSale = (
  { api }: CardShop,
  url: string,
  fields: Readonly<Record<string, string>>,
  from?: string,
): Promise<Answer<unknown>> =>
  api.call("POST", pathOf(url), {
    body: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", origin: api.baseUrl },
    ...(from === undefined ? {} : { from }),
  });

/** An attempt that has begun: the session's token in the form, and the gateway's page. */
export interface SaleAttempt {
  readonly reference: string;
  readonly gatewayUrl: string;
}

/** Submits a checkout page with what a payer must enter; answers the gateway's page. */
export async function startSale(
  stage: CardShop,
  url: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<SaleAttempt> {
  const answer = await postSale(stage, url, { ...PAYER, gateway: stage.account.id, ...fields });
  assert.equal(answer.status, 303, answer.text);
  const [row] = await stage.api.query<{ reference: string }>(
    "select reference from transactions where organisation_id = $1 order by id desc limit 1",
    stage.shop.organisation.id,
  );
  return { reference: row?.reference ?? "", gatewayUrl: String(answer.headers.location) };
}

/** Chooses an outcome at the gateway and follows the browser to the result page; answers its path and the page. */
export async function endSale(
  stage: CardShop,
  { gatewayUrl }: SaleAttempt,
  outcome: string,
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly path: string; readonly page: Answer<unknown> }> {
  const back = await choose(stage, gatewayUrl, { outcome, ...more });
  const answer = await stage.api.call("GET", pathOf(back));
  assert.equal(answer.status, 303, answer.text);
  const path = String(answer.headers.location);
  return { path, page: await openSale(stage, path) };
}

/** The newest session. */
export async function newestSession({ shop }: CardShop): Promise<Shown> {
  const { body } = await shop.get<{ data: Shown[] }>("/checkout-sessions?limit=1");
  const [session] = body.data;
  assert(session, "there is a session");
  return session;
}

/** The session as it stands now. */
export const sessionNow = async ({ shop }: CardShop, id: unknown): Promise<Shown> =>
  (await shop.get(`/checkout-sessions/${id}`)).body;

/** A customer subscription as it stands now. */
export const customerSubscriptionNow = async ({ shop }: CardShop, id: unknown): Promise<Shown> =>
  (await shop.get(`/customer-subscriptions/${id}`)).body;

/** The events of checkouts, oldest first. */
export async function checkoutEvents({ staff }: CardShop): Promise<{ type: string; data: Shown }[]> {
  const { body } = await staff<{ data: { type: string; data: Shown }[] }>("GET", "/events?limit=100");
  return body.data.filter(({ type }) => type.startsWith("checkout.")).toReversed();
}

/** A shop that sells on its checkout pages. */
export interface SaleShop {
  readonly stage: CardShop;
  /** Adds a product of 100.00 without VAT; answers its id. */
  addProduct(body?: object): Promise<string>;
  /** Adds a monthly plan of 100.00 without VAT to the shop's package; answers its id. */
  addPlan(body?: object): Promise<string>;
  addSession(body: object): Promise<Shown>;
  readonly packageId: string;
  /** The path of the package's page. */
  readonly packagePage: string;
}

/** Opens a shop with a gateway account that saves and charges cards, and a package without plans. */
export async function openSaleShop(api: TestApi, facts: Partial<Organisation> = {}): Promise<SaleShop> {
  const stage = await openCardShop(api, facts);
  const { shop, staff } = stage;
  const made = <Record>({ status, body, text }: Answer<Record>): Record => {
    assert.equal(status, 201, text);
    return body;
  };
  const packageId = made(await shop.post<{ id: string }>("/packages", { name: "Circle", description: "Books" })).id;
  const plan = { name: "Gold", amount: 100, frequency: "monthly" };
  return {
    stage,
    addProduct: async (body = {}) =>
      made(await staff<{ id: string }>("POST", "/products", { name: "Book", amount: 100, ...body })).id,
    addPlan: async (body = {}) =>
      made(await shop.post<{ id: string }>(`/packages/${packageId}/plans`, { ...plan, ...body })).id,
    addSession: async (body) => made(await shop.post<Shown>("/checkout-sessions", body)),
    packageId,
    packagePage: salePath(stage, "package", packageId),
  };
}
