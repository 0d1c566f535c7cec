import assert from "node:assert/strict";
import type { GatewayAccountCreateBody } from "../../src/modules/gateway-accounts/schema.ts";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import type { ApiMerchant, StaffCall, TestApi } from "./api.ts";

/** When the clock of a card shop stands, until it is moved. */
const CARD_SHOP_NOW = "2027-03-01T10:00:00.000Z";

/** A sandbox organisation that saves cards, with one customer and a clock that stands. */
export interface CardShop {
  readonly api: TestApi;
  readonly shop: ApiMerchant;
  readonly account: GatewayAccount;
  readonly staff: StaffCall;
  /** The customer's id. */
  readonly customer: string;
  /** Moves the clock and runs what falls due. */
  move(now: string): Promise<Record<string, number>>;
}

/** A card or a set-up session, as the API answers it. */
export type Shown = Record<string, unknown>;

/** Opens a shop with a gateway account that saves and charges cards. */
export async function openCardShop(
  api: TestApi,
  facts: Partial<Organisation> = {},
  gateway: Partial<GatewayAccountCreateBody> = {},
): Promise<CardShop> {
  const shop = await api.addMerchant({ clockAt: new Date(CARD_SHOP_NOW) as never, ...facts });
  const account = await shop.addGateway(gateway);
  const staff = await shop.signIn();
  return {
    api,
    shop,
    account,
    staff,
    customer: await addCardCustomer(shop),
    async move(now) {
      const answer = await staff<{ ran: Record<string, number> }>("POST", "/test-clock", { now });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.ran;
    },
  };
}

/** A customer with an email address; answers its id. */
export async function addCardCustomer(shop: ApiMerchant, fields: object = {}): Promise<string> {
  const answer = await shop.post("/customers", {
    email: `c${Math.random()}@example.co.za`,
    firstName: "Thandi",
    ...fields,
  });
  assert.equal(answer.status, 201, answer.text);
  return String(answer.body["id"]);
}

/** A new set-up session. */
export async function addSetup({ shop, customer }: CardShop, body: object = {}, of = customer): Promise<Shown> {
  const answer = await shop.post(`/customers/${of}/cards/setup`, body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** The session as it stands now. */
export const setupNow = async ({ shop }: CardShop, { customerId, id }: Shown): Promise<Shown> =>
  (await shop.get(`/customers/${customerId}/cards/setup/${id}`)).body;

/** A customer's cards, in the list's order. */
export const cardsNow = async ({ shop, customer }: CardShop, query = "", of = customer): Promise<Shown[]> =>
  (await shop.get<{ data: Shown[] }>(`/customers/${of}/cards${query}`)).body.data;

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url, "http://none");
  return pathname + search;
};

/** What a browser posts. */
export const postForm = (api: TestApi, url: string, fields: Readonly<Record<string, string>>) =>
  api.call("POST", pathOf(url), {
    body: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", origin: api.baseUrl },
  });

/** Opens a hosted page. */
export const openPage = (api: TestApi, url: string) => api.call("GET", pathOf(url));

/** An attempt that has begun. */
export interface Begun {
  readonly reference: string;
  /** The gateway's page. */
  readonly gatewayUrl: string;
}

/** Presses the main button of a page that takes payments: through the shop's account. */
export async function begin({ api, account, shop }: CardShop, url: string): Promise<Begun> {
  const answer = await postForm(api, url, { gateway: account.id });
  assert.equal(answer.status, 303, answer.text);
  const [row] = await api.query<{ reference: string }>(
    "select reference from transactions where organisation_id = $1 order by id desc limit 1",
    shop.organisation.id,
  );
  return { reference: row?.reference ?? "", gatewayUrl: String(answer.headers.location) };
}

export const VISA = "4242424242424242";
export const MASTERCARD = "5555555555554444";
export const DINERS = "36227206271667";
export const AMEX = "378282246310005";

/** The fields of the sandbox gateway's page. */
export const choiceOf = (card: string, more: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  outcome: "complete",
  card,
  saveCard: "on",
  ...more,
});

/** Chooses on the sandbox gateway's page; answers where the browser goes next. */
export async function choose({ api }: CardShop, gatewayUrl: string, fields: Record<string, string>): Promise<string> {
  const answer = await postForm(api, gatewayUrl, fields);
  assert.equal(answer.status, 303, answer.text);
  return String(answer.headers.location);
}

/** Adds a card as its customer does; answers the session's card. */
export async function addCard(
  stage: CardShop,
  card = VISA,
  { expiry = "12/30", body = {}, of = stage.customer }: { expiry?: string; body?: object; of?: string } = {},
): Promise<Shown> {
  const setup = await addSetup(stage, body, of);
  const { gatewayUrl } = await begin(stage, String(setup["url"]));
  await choose(stage, gatewayUrl, choiceOf(card, { expiry }));
  const { status, cardId } = await setupNow(stage, setup);
  assert.equal(status, "completed");
  const found = (await cardsNow(stage, "", of)).find(({ id }) => id === cardId);
  assert.ok(found, "the card is listed");
  return found;
}

/** Events of the organisation of these types, oldest first. */
export const eventsOf = ({ api, shop }: CardShop, like: string) =>
  api.query<{ type: string; subject: string; data: Shown }>(
    "select type, subject, data from events where organisation_id = $1 and type like $2 order by id",
    shop.organisation.id,
    like,
  );
