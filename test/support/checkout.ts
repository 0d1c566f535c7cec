import assert from "node:assert/strict";
import type { Answer } from "./api.ts";
import { type CardShop, choose, type Shown } from "./cards.ts";

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

/** The events of checkouts, oldest first. */
export async function checkoutEvents({ staff }: CardShop): Promise<{ type: string; data: Shown }[]> {
  const { body } = await staff<{ data: { type: string; data: Shown }[] }>("GET", "/events?limit=100");
  return body.data.filter(({ type }) => type.startsWith("checkout.")).toReversed();
}
