import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type ApiMerchant, openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { addActiveMandate, openMandateShop } from "../support/mandates.ts";
import { addPayment, CREDENTIALS, notify, reportedPayment } from "../support/payments.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 14.4: how attempts to pay ended and why they were declined, recomputed from the rows; each figure leads to exactly its rows. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

interface Counted {
  readonly amount: number;
  readonly count: number;
}
const OUTCOMES = ["succeeded", "declined", "abandoned", "pending"] as const;
type Outcome = (typeof OUTCOMES)[number];
type Figures = Readonly<Record<Outcome | "attempts", Counted>> & { readonly successPercent: number | null };
interface Report extends Figures {
  readonly from: string;
  readonly to: string;
  readonly reasons: readonly (Counted & { readonly reason: string })[];
  readonly methods: readonly (Figures & { readonly method: string; readonly gateway: string })[];
  readonly series: readonly (Figures & { readonly from: string; readonly to: string })[];
}

const read = async (staff: StaffCall, query: string): Promise<Report> => {
  const answer = await staff<Report>("GET", `/overview/attempts-report?${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};

/** From the rows alone. */
interface Row {
  readonly reference: string;
  readonly day: string;
  readonly cents: number;
  readonly method: string;
  readonly gateway: string;
  readonly outcome: Outcome;
  readonly reason: string | null;
}
const rowsOf = (shop: ApiMerchant): Promise<Row[]> =>
  api.query<Row>(
    `select t.reference, (t.created_at at time zone 'Africa/Johannesburg')::date::text as day, t.amount_cents::integer as cents,
            t.gateway_type as gateway, case when d.transaction_id is not null then 'debit_order' when c.id is not null then 'saved_card'
              when t.renewal then 'gateway_renewal' else 'checkout' end as method,
            case when t.status = 'failed' or d.unpaid_at is not null then 'declined' when t.status = 'cancelled' then 'abandoned'
              when t.status = 'pending' then 'pending' else 'succeeded' end as outcome, t.decline_reason as reason
       from transactions t left join debits d on d.organisation_id = t.organisation_id and d.transaction_id = t.id
       left join card_charges c on c.organisation_id = t.organisation_id and c.transaction_id = t.id
      where t.organisation_id = $1 and t.eft_order_id is null`,
    shop.organisation.id,
  );
const counted = (rows: readonly Row[]): Counted => ({
  amount: rows.reduce((all, { cents }) => all + cents, 0) / 100,
  count: rows.length,
});

async function assertFigures(staff: StaffCall, figures: Figures, own: readonly Row[], query: string): Promise<void> {
  assert.deepEqual(figures.attempts, counted(own), query);
  for (const outcome of OUTCOMES) {
    const rows = own.filter((row) => row.outcome === outcome);
    assert.deepEqual(figures[outcome], counted(rows), `${outcome} of ${query}`);
    if (rows.length > 0) await assertListed(staff, `${query}&outcome=${outcome}`, rows);
  }
  const [good, bad] = [figures.succeeded.count, figures.declined.count];
  const percent = good + bad === 0 ? null : Number(((good / (good + bad)) * 100).toFixed(2));
  assert.equal(figures.successPercent, percent, query);
}

/** The list has exactly these payments. */
async function assertListed(staff: StaffCall, query: string, rows: readonly Row[]): Promise<void> {
  const listed = await staff<{ data: { reference: string }[] }>("GET", `/transactions?limit=100&${query}`);
  assert.equal(listed.status, 200, listed.text);
  const references = (of: readonly { reference: string }[]) => of.map(({ reference }) => reference).toSorted();
  assert.deepEqual(references(listed.body.data), references(rows), query);
}

/** All figures of some days are those of the rows, whole, divided, by reason, and by method and gateway. */
async function assertReport(shop: ApiMerchant, staff: StaffCall, { from, to }: { from: string; to: string }) {
  const report = await read(staff, `from=${from}&to=${to}&by=week`);
  const all = (await rowsOf(shop)).filter(({ day }) => day >= from && day <= to);
  const days = (span: { from: string; to: string }) => `createdFrom=${span.from}&createdTo=${span.to}&currency=ZAR`;
  await assertFigures(staff, report, all, days(report));
  for (const span of report.series)
    await assertFigures(
      staff,
      span,
      all.filter(({ day }) => day >= span.from && day <= span.to),
      days(span),
    );
  for (const { method, gateway, ...figures } of report.methods) {
    const own = all.filter((row) => row.method === method && row.gateway === gateway);
    await assertFigures(staff, figures, own, `${days(report)}&method=${method}&gateway=${gateway}`);
    const { methods: _methods, ...alone } = await read(
      staff,
      `from=${from}&to=${to}&method=${method}&gateway=${gateway}`,
    );
    assert.partialDeepStrictEqual(alone, figures);
  }
  const declined = all.filter(({ outcome }) => outcome === "declined");
  for (const { reason, ...figure } of report.reasons) {
    const own = declined.filter((row) => (row.reason ?? "other") === reason);
    assert.deepEqual(figure, counted(own), reason);
    await assertListed(staff, `${days(report)}&outcome=declined&declineReason=${reason}`, own);
  }
  assert.equal(
    report.reasons.reduce((sum, { count }) => sum + count, 0),
    declined.length,
  );
  return report;
}

/** What the gateway reports of a payment. */
type Reported = [status: Parameters<typeof reportedPayment>[1], facts?: Parameters<typeof reportedPayment>[2]];

test("attempts count by the day they began, how they ended, and why they were declined", async () => {
  const shop = await api.addMerchant({ sandbox: true });
  const account = await shop.addGateway({ credentials: CREDENTIALS });
  const staff = await shop.signIn("owner");
  const add = (day: string) => addPayment(api, shop, account, { createdAt: `${day}T21:59:00Z`, cents: 10_000 });
  const report = async (reference: string, ...[status, facts]: Reported) => {
    const answer = await notify(api, account, { payment: reportedPayment(reference, status, facts) });
    assert.equal(answer.status, 200, answer.text);
  };
  const decline = (code: string, message: string) => ({ decline: { code, message, hard: false } });
  await report(await add("2027-01-04"), "complete");
  await report(await add("2027-01-04"), "complete");
  await report(await add("2027-01-05"), "failed", decline("insufficient_funds", "Insufficient funds."));
  await report(await add("2027-01-12"), "failed", decline("05", "Do not honour"));
  await report(await add("2027-01-12"), "failed", decline("authentication_required", "3-D Secure failed"));
  await report(await add("2027-01-12"), "cancelled");
  const pending = await add("2027-01-13");
  // A success that is reported late has no reason any more.
  const late = await add("2027-01-14");
  await report(late, "failed", decline("expired_card", "Expired card"));
  const failed = await staff<{ status: string; declineReason?: string }>("GET", `/transactions/${late}`);
  assert.deepEqual([failed.body.status, failed.body.declineReason], ["failed", "expired_card"]);
  await report(late, "complete");
  const paid = await staff<object>("GET", `/transactions/${late}`);
  assert.ok(!("declineReason" in paid.body));
  // One that failed before reasons were kept.
  const old = await add("2027-01-20");
  await report(old, "failed", decline("declined", "Declined."));
  await api.query("update transactions set decline_reason = null where reference = $1", old);
  const all = await assertReport(shop, staff, { from: "2027-01-01", to: "2027-01-31" });
  assert.deepEqual(
    [all.succeeded.count, all.declined.count, all.abandoned.count, all.pending.count, all.successPercent],
    [3, 4, 1, 1, 42.86],
  );
  assert.deepEqual(all.reasons.map(({ reason }) => reason).toSorted(), [
    "authentication_failed",
    "do_not_honour",
    "insufficient_funds",
    "other",
  ]);
  await report(pending, "cancelled");
  await assertReport(shop, staff, { from: "2027-01-05", to: "2027-01-12" });
  assert.equal((await staff("GET", "/overview/attempts-report?from=2027-03-02&to=2027-03-01")).status, 400);
  assert.equal((await staff("GET", "/overview/attempts-report?method=cash")).status, 400);
  assert.equal((await read(staff, "from=2027-01-01&to=2027-01-31&currency=USD")).attempts.count, 0);
});

test("debit orders that came back unpaid are declined, also after they were collected", async () => {
  const shop = await openMandateShop(api);
  await addActiveMandate(shop, { debitDay: 6 });
  await addActiveMandate(shop, { debitDay: 6, amount: 50.5 }, { accountNumber: "62900417702" });
  await shop.move("2027-03-20T10:00:00Z");
  const days = { from: "2027-01-01", to: "2027-03-20" };
  const before = await assertReport(shop.shop, shop.staff, days);
  const [collected] = (await rowsOf(shop.shop)).filter(({ outcome }) => outcome === "succeeded");
  const reference = collected?.reference;
  assert.equal((await shop.staff("POST", "/sandbox/notify", { reference, status: "failed" })).status, 200);
  const report = await assertReport(shop.shop, shop.staff, days);
  assert.equal(report.declined.count, before.declined.count + 1);
  const shown = await shop.staff<{ status: string; declineReason?: string }>("GET", `/transactions/${reference}`);
  assert.deepEqual([shown.body.status, shown.body.declineReason], ["complete", "insufficient_funds"]);
  assert.ok(before.declined.count > 0);
  assert.deepEqual(report.reasons, [{ reason: "insufficient_funds", ...report.declined }]);
  assert.deepEqual(
    report.methods.map(({ method }) => method),
    ["debit_order"],
  );
});
