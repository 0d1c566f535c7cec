import assert from "node:assert/strict";
import type { Answer } from "./api.ts";
import { type MandateShop, mandateNow, type Shown } from "./mandates.ts";

/** A batch as the dashboard's API answers it. */
export type ShownBatch = Shown & { readonly id: string; readonly status: string };

/** Gathers what is due by a date, as staff do. */
export const gather = (shop: MandateShop, actionDate: unknown): Promise<Answer<ShownBatch>> =>
  shop.staff<ShownBatch>("POST", "/debit-batches", { actionDate });

/** As `gather`; fails when nothing was gathered. */
export async function gathered(shop: MandateShop, actionDate: string): Promise<ShownBatch> {
  const answer = await gather(shop, actionDate);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** Has a batch submitted now. */
export const submit = (shop: MandateShop, { id }: Pick<ShownBatch, "id">): Promise<Answer<ShownBatch>> =>
  shop.staff<ShownBatch>("POST", `/debit-batches/${id}/submit`);

/** The batch as it stands now, with results and forecast. */
export const batchNow = async (shop: MandateShop, { id }: Pick<ShownBatch, "id">): Promise<ShownBatch> =>
  (await shop.staff<ShownBatch>("GET", `/debit-batches/${id}`)).body;

/** The newest batches, newest first. */
export const batchesOf = async (shop: MandateShop): Promise<ShownBatch[]> =>
  (await shop.staff<{ data: ShownBatch[] }>("GET", "/debit-batches?limit=100")).body.data;

/** The reference of the payment of a mandate for a day, `YYYYMMDD`. */
export const debitReference = (mandate: Shown, day: string): string => `${mandate["accountReference"]}-${day}`;

/** The payment of a mandate for a day, `YYYYMMDD`. */
export const debitOf = async ({ shop }: MandateShop, mandate: Shown, day: string): Promise<Shown> =>
  (await shop.get(`/transactions/${debitReference(mandate, day)}`)).body;

/** Some fields of the mandate as it stands now. */
export async function mandateIs(shop: MandateShop, mandate: Shown, expected: Shown): Promise<void> {
  assert.partialDeepStrictEqual(await mandateNow(shop, mandate), expected);
}

/** The gateway's own records of what it debits, by reference: more than one of a reference would be a second debit. */
export const atTheGateway = (shop: MandateShop) =>
  shop.api.query<{ reference: string; status: string; amount_cents: string; lines: number }>(
    `select p.reference, p.status, p.amount_cents, count(*) over (partition by p.reference)::int as lines from sandbox_payments p
      where p.organisation_id = $1 and p.batch_id is not null order by p.reference`,
    shop.shop.organisation.id,
  );

/** Alerts that staff got about records whose ids, references or texts match. */
export const alertsAbout = async (shop: MandateShop, what: RegExp) =>
  (
    await shop.staff<{ data: { kind: string; subject: string; text: string }[] }>("GET", "/emails?limit=100")
  ).body.data.filter(({ kind, subject }) => kind === "staff_alert" && what.test(subject));

/** Adds so many copies of a mandate. Their ids begin anew in each organisation. */
export const copyMandate = ({ api, shop }: MandateShop, { id }: Shown, copies: number) =>
  api.services.db.transaction(
    shop.organisation.id,
    (tx) => tx.sql`
      insert into mandates select (jsonb_populate_record(m, jsonb_build_object('id', 'mandate_' || lpad(n::text, 26, '0'),
         'account_reference', 'DO' || lpad(n::text, 10, '0')))).* from mandates m, generate_series(1, ${copies}::integer) n
        where m.organisation_id = ${tx.organisation} and m.id = ${id}`,
  );
