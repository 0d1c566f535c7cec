import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { endSale, openSaleShop, PAYER, salePath, startSale } from "../support/checkout.ts";
import { EXCHANGE, type Invoicing, openInvoicing } from "../support/invoices.ts";
import { addPayment, notify, reportedPayment } from "../support/payments.ts";

/* Interface 14.4: how far payment links and checkouts came, recomputed from raw rows, and led to by their lists. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
// Payments that the test inserts itself are awaited by no work, which `verify` would tell.
after(() => api.close());

const PHONE = { "user-agent": "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/131.0 Mobile Safari/537.36" };
const PREVIEW = { "user-agent": "WhatsApp/2.23.20.0 A" };
const STAFF = { ...PHONE, cookie: "a=b; tefo.session_token=abc.def" };

const STAGES = ["created", "opened", "started", "paid"] as const;
type Reached = Readonly<Record<(typeof STAGES)[number], number>>;
interface Span {
  readonly from: string;
  readonly to: string;
  readonly paymentLinks: Reached;
  readonly checkouts: Reached;
}
type Report = Span & { readonly series: readonly Span[] };

const read = async <Body>(staff: StaffCall, path: string): Promise<Body> => {
  const answer = await staff<Body>("GET", path);
  assert.equal(answer.status, 200, `${path}: ${answer.text}`);
  return answer.body;
};
const report = (staff: StaffCall, query: string) => read<Report>(staff, `/overview/funnel-report?${query}`);
const figures = (of: Reached) => STAGES.map((stage) => of[stage]);
const see = async (url: unknown, headers: Readonly<Record<string, string>>) => {
  const { pathname, search } = new URL(String(url));
  assert.equal((await api.call("GET", pathname + search, { headers })).status, 200);
};

/** The figures lead to lists with exactly so many rows. */
async function assertListed(staff: StaffCall, { from, to, paymentLinks, checkouts }: Span): Promise<void> {
  for (const stage of STAGES) {
    const query = `createdFrom=${from}&createdTo=${to}&limit=100${stage === "created" ? "" : `&reached=${stage}`}`;
    const rows = async (list: string) => (await read<{ data: unknown[] }>(staff, `${list}&${query}`)).data.length;
    assert.equal(await rows("/payment-links?ofInvoice=false"), paymentLinks[stage], `links ${stage} ${from}`);
    assert.equal(await rows("/checkout-sessions?"), checkouts[stage], `checkouts ${stage} ${from}`);
  }
}

describe("the funnel of payment links", () => {
  let shop: Invoicing;
  let staff: StaffCall;
  const links: { id: string; url: string }[] = [];
  before(async () => {
    shop = await openInvoicing(api);
    staff = await shop.merchant.signIn("owner");
    for (let made = 0; made < 6; made += 1) {
      if (made === 4) await shop.merchant.change({ clock_at: "2027-03-09T08:00:00Z" });
      const link = await shop.merchant.post<{ id: string; url: string }>("/payment-links", {
        title: `Link ${made}`,
        amount: 100,
        singleUse: false,
      });
      assert.equal(link.status, 201, link.text);
      links.push(link.body);
    }
  });

  const start = (at: number) =>
    addPayment(api, shop.merchant, shop.account, {
      linkId: links[at]?.id ?? "",
      invoiceId: null,
      customerId: null,
      cents: 10_000,
    });
  const pay = async (reference: string) => {
    const payment = reportedPayment(reference, "complete", { amount: 10_000 });
    assert.equal((await notify(api, shop.account, { payment })).status, 200);
  };

  test("counts each link once, by the day of its creation, as its rows say", async () => {
    await see(links[0]?.url, PHONE);
    await see(links[0]?.url, PHONE);
    await see(links[1]?.url, PREVIEW);
    await see(links[1]?.url, STAFF);
    await see(links[4]?.url, PHONE);
    // Begun without a view that was seen, as by another device.
    await start(2);
    await pay(await start(3));
    await pay(await start(3));
    // The page of an invoice is the invoice's: it is no link of the funnel.
    const invoice = await shop.owe(50);
    await see(invoice.payUrl, PHONE);
    await shop.payOnline(invoice.id, 50);
    await shop.owe(9, { currency: "USD", exchange: EXCHANGE });

    const whole = await report(staff, "from=2027-03-01&to=2027-03-31&by=week");
    assert.deepEqual(figures(whole.paymentLinks), [6, 4, 2, 1]);
    assert.deepEqual(
      whole.series.slice(0, 2).map(({ from, paymentLinks }) => [from, figures(paymentLinks)]),
      [
        ["2027-03-01", [4, 3, 2, 1]],
        ["2027-03-08", [2, 1, 0, 0]],
      ],
    );
    for (const span of [whole, ...whole.series]) await assertListed(staff, span);
    const [raw] = await api.query<Reached>(
      `with l as (
         select l.id, l.paid_count,
                (select count(*) from document_views v where v.organisation_id = l.organisation_id and v.document_id = l.id) as views,
                (select count(*) from transactions t where t.organisation_id = l.organisation_id and t.payment_link_id = l.id) as payments,
                (select count(*) from transactions t where t.organisation_id = l.organisation_id and t.payment_link_id = l.id
                   and t.paid_at is not null) as paid
           from payment_links l where l.organisation_id = $1 and l.invoice_id is null)
       select count(*)::int as created, (count(*) filter (where views > 0 or payments > 0))::int as opened,
              (count(*) filter (where payments > 0))::int as started, (count(*) filter (where paid > 0))::int as paid from l`,
      shop.merchant.organisation.id,
    );
    assert.deepEqual(raw && figures(raw), figures(whole.paymentLinks));
    const none = await report(staff, "from=2027-02-01&to=2027-02-28");
    assert.deepEqual(figures(none.paymentLinks), [0, 0, 0, 0]);
  });

  test("is refused for days that are none", async () => {
    for (const query of ["from=2027-03-02&to=2027-03-01", "by=year", "from=x"])
      assert.equal((await staff("GET", `/overview/funnel-report?${query}`)).status, 400, query);
    assert.equal((await staff("GET", "/payment-links?reached=created")).status, 400);
  });

  test("offers the currencies that have figures", async () => {
    const { currencies } = await read<{ currencies: string[] }>(staff, "/overview/currencies");
    assert.deepEqual(currencies, ["ZAR", "USD"]);
  });
});

test("the funnel of checkouts counts links that were opened, forms that were sent, and what was completed", async () => {
  const { stage, addProduct, addSession } = await openSaleShop(api);
  const { staff } = stage;
  const productId = await addProduct();
  const page = salePath(stage, "product", productId);
  const [ignored, seen, sent] = [
    await addSession({ productId, ...PAYER }),
    await addSession({ productId, ...PAYER }),
    await addSession({ productId, ...PAYER }),
  ];
  await see(ignored["checkoutUrl"], PREVIEW);
  await see(ignored["checkoutUrl"], STAFF);
  await see(seen["checkoutUrl"], PHONE);
  await startSale(stage, String(sent["checkoutUrl"]));
  await endSale(stage, await startSale(stage, page), "complete");
  const [{ day } = { day: "" }] = await api.query<{ day: string }>(
    "select day_of(created_at)::text as day from checkout_sessions where organisation_id = $1 limit 1",
    stage.shop.organisation.id,
  );
  const whole = await report(staff, `from=${day}&to=${day}`);
  assert.deepEqual(figures(whole.checkouts), [4, 3, 2, 1]);
  await assertListed(staff, whole);
  const [raw] = await api.query<Reached>(
    `select count(*)::int as created,
            (count(*) filter (where source = 'hosted' or used_at is not null or exists (
              select from document_views v where v.organisation_id = s.organisation_id and v.document_id = s.id)))::int as opened,
            (count(*) filter (where used_at is not null))::int as started,
            (count(*) filter (where status = 'completed'))::int as paid
       from checkout_sessions s where organisation_id = $1`,
    stage.shop.organisation.id,
  );
  assert.deepEqual(raw && figures(raw), figures(whole.checkouts));
});
