import assert from "node:assert/strict";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import type { Answer, TestApi } from "./api.ts";
import { type CardShop, openCardShop } from "./cards.ts";

/** A mandate or an agreement, as the API answers it. */
export type Shown = Record<string, unknown>;

/** A shop that collects debit orders, with one customer and a clock that stands. */
export type MandateShop = CardShop;

/** Opens such a shop. Its clock stands at 2027-03-01, 12:00 South African time. */
export const openMandateShop = (api: TestApi, facts: Partial<Organisation> = {}): Promise<MandateShop> =>
  openCardShop(api, facts);

/** The account number of most mandates of tests: it is searched for in everything that must not hold it. */
export const ACCOUNT_NUMBER = "62900417701";
/** As `ACCOUNT_NUMBER`. */
export const ID_NUMBER = "8001015009087";

/** A body that creates a mandate. */
export const mandateBody = (
  { customer }: Pick<MandateShop, "customer">,
  given: object = {},
  bank: object = {},
): Shown => ({
  customerId: customer,
  bank: { branchCode: "250655", accountNumber: ACCOUNT_NUMBER, accountHolder: "T Nkosi", ...bank },
  amount: 350.5,
  debitDay: 25,
  idNumber: ID_NUMBER,
  ...given,
});

/** Requests a mandate. */
export const requestMandate = (shop: MandateShop, given: object = {}, bank: object = {}): Promise<Answer> =>
  shop.shop.post("/mandates", mandateBody(shop, given, bank));

/** A new mandate. */
export async function addMandate(shop: MandateShop, given: object = {}, bank: object = {}): Promise<Shown> {
  const answer = await requestMandate(shop, given, bank);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** A new mandate that is active. */
export const addActiveMandate = (shop: MandateShop, given: object = {}, bank: object = {}): Promise<Shown> =>
  addMandate(shop, { authority: "offline", confirmOfflineMandate: true, ...given }, bank);

/** The mandate as it stands now. */
export const mandateNow = async ({ shop }: MandateShop, { id }: Shown): Promise<Shown> =>
  (await shop.get(`/mandates/${id}`)).body;

/** Issues an agreement; answers the sign URL's path too. */
export async function issueAgreement(
  { shop }: MandateShop,
  { id }: Shown,
  body: object = {},
): Promise<Shown & { path: string }> {
  const answer = await shop.post(`/mandates/${id}/agreement`, body);
  assert.equal(answer.status, 201, answer.text);
  return { ...answer.body, path: new URL(String(answer.body["signUrl"])).pathname };
}
