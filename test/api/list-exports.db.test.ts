import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { parse } from "csv-parse/sync";
import { RECORDS } from "../../src/catalogue.ts";
import { auditLogCsv } from "../../src/http/resources/audit-log.ts";
import { recordAudit } from "../../src/modules/audit-log/store.ts";
import { newId } from "../../src/platform/new-id.ts";
import { openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { NOW } from "../support/invoices.ts";
import { eventually } from "../support/processes.ts";
import { imported, openReconciling, type Reconciling, statementOf } from "../support/reconciliation.ts";

/* Each list as a file: the same records in the same order, with the list's filters. */

let api: TestApi;
let shop: Reconciling;
let staff: StaffCall;
/** What opens something to whoever has it. */
const secrets: string[] = [];
before(async () => {
  api = await openApi();
  shop = await openReconciling(api);
  staff = await shop.merchant.signIn("owner");
  const make = async <Body = { id: string }>(path: string, body: object) => {
    const answer = await staff<Body>("POST", path, body);
    assert.ok(answer.status < 300, `${path}: ${answer.text}`);
    return answer.body;
  };
  const { customerId } = shop;
  await make("/products", { name: "=Planks", amount: 10 });
  await make("/products", { name: "Nails", amount: 5, recurring: { frequency: "monthly" } });
  const gym = await make("/packages", { name: "Gym" });
  await make("/packages", { name: "Pool" });
  for (const code of ["month", "year"])
    await make(`/packages/${gym.id}/plans`, { name: code, code, amount: 100, frequency: "monthly" });
  await make("/coupons", { code: "SPRING", percent: 10, duration: "first" });
  const checkout = await make<{ checkoutUrl: string }>("/checkout-sessions", { packageId: gym.id });
  const link = await make<{ url: string }>("/payment-links", { title: "Work", amount: 55.5 });
  const key = await make<{ key: string }>("/api-keys", { name: "Shop" });
  const hook = await make<{ id: string; secret: string }>("/webhook-endpoints", { url: "https://shop.example/hook" });
  secrets.push(checkout.checkoutUrl, link.url, key.key, hook.secret);
  await shop.owe(100);
  await make("/members", { email: "colleague@example.co.za", role: "viewer" });
  await make("/customer-subscriptions", {
    customer: { id: customerId },
    plan: "month",
    collectionMethod: "invoice",
  });
  const mandate = await make<{ nextDebitDate: string }>("/mandates", {
    customerId,
    bank: { branchCode: "250655", accountNumber: "62900417701", accountHolder: "T Nkosi" },
    amount: 350.5,
    debitDay: 5,
    authority: "offline",
    confirmOfflineMandate: true,
  });
  await make("/debit-batches", { actionDate: mandate.nextDebitDate });
  await shop.paid(70);
  await shop.paid(80, { customer: { id: customerId } });
  await imported(staff, statementOf([NOW.slice(0, 10), "FEE, of the bank", -5], [NOW.slice(0, 10), "Sold a saw", 900]));
  await make(`/webhook-endpoints/${hook.id}/test`, {});
  const { id: organisation } = shop.merchant.organisation;
  await api.query(
    `insert into webhook_deliveries (organisation_id, id, event_id, event_type, subject, endpoint_id, body, status, attempts, created_at)
     select $1, $2, 'evt_1', 'invoice.paid', 'inv_1', $3, '{}', 'parked', '[{"at":"2026-11-01T08:00:00.000Z","statusCode":500,"durationMs":3,"error":null,"responseExcerpt":"no"}]', now()`,
    organisation,
    newId("whd"),
    hook.id,
  );
  await api.query(
    `insert into gateway_subscriptions (organisation_id, id, status, frequency, amount_cents, currency, metadata, paused, paused_as_of, past_due,
       past_due_as_of, missed_charges, external_reference, handle_sealed, created_at, updated_at)
     select $1, $2, 'active', 'monthly', 9900, 'ZAR', '{}', false, now(), false, now(), 0, 'gym-1', 'sealedhandle', now(), now()`,
    organisation,
    newId("gsub"),
  );
  secrets.push("sealedhandle");
});
after(() => api.close());

type Listed = Record<string, unknown> & { readonly id: string };
const listOf = async (path: string): Promise<Listed[]> => {
  const { status, body, text } = await staff<{ data: Listed[] }>(
    "GET",
    `${path}${path.includes("?") ? "&" : "?"}limit=100`,
  );
  assert.equal(status, 200, text);
  return body.data;
};
const fileOf = async (path: string): Promise<Record<string, string>[]> => {
  const { status, text } = await staff("GET", path);
  assert.equal(status, 200, text);
  for (const secret of secrets) assert.ok(!text.includes(secret), `${path} has ${secret}`);
  assert.doesNotMatch(text, /[\w-]{60,}/, "a token");
  return parse(text, { columns: true });
};
const idsOf = (rows: readonly { readonly id?: unknown }[]) => [...new Set(rows.map(({ id }) => String(id)))];

/** Lists by their paths, with what a second request is narrowed by. */
const LISTS: Readonly<Record<string, string>> = {
  "/products": "q=nail",
  "/packages": "q=pool",
  "/coupons": "q=none",
  "/checkout-sessions": "status=completed",
  "/payment-links": "q=55.50",
  "/emails": "recipient=colleague@example.co.za",
  "/events": "q=invoice.sent",
  "/webhook-deliveries": "status=pending",
  "/audit-log": "action=POST /products",
  "/subscriptions": "externalReference=gym-2",
  "/subscription-movements": "kind=churn",
  "/receipts": "kind=refund",
  "/debit-batches": "status=submitted",
  "/members": "q=colleague",
  "/api-keys": "q=Shop",
  "/webhook-endpoints": "q=nowhere",
  "/gateways": "q=manual",
  "/reconciliation/items": "q=saw",
  "/reconciliation/runs": "q=none",
  "/reconciliation/awaited": "q=80.00",
};
for (const [path, narrow] of Object.entries(LISTS))
  test(`${path} is a file with the records of the list, as it is filtered`, async () => {
    const file = `/exports${path.replace("/reconciliation/", "/reconciliation-")}.csv`;
    const all = await listOf(path);
    assert.ok(all.length > 0, "the list shows something");
    assert.deepEqual(idsOf(await fileOf(file)), idsOf(all));
    const some = await listOf(`${path}?${encodeURI(narrow)}`);
    assert.ok(some.length < all.length, "the filter leaves something out");
    assert.deepEqual(idsOf(await fileOf(`${file}?${encodeURI(narrow)}`)), idsOf(some));
    // Receipts are not searched.
    if (path !== "/receipts") assert.equal((await staff("GET", `${file}?q=%25%27`)).status, 200);
  });

/** Of a call's query, as `openapi-dashboard.json` describes it. */
interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: { readonly enum?: readonly string[]; readonly $ref?: string; readonly format?: string };
}
const { paths, components } = JSON.parse(await readFile("openapi-dashboard.json", "utf8")) as {
  paths: Record<string, { get?: { parameters?: Parameter[] } }>;
  components: { schemas: Record<string, Parameter["schema"]> };
};
const filtersOf = (path: string): Parameter[] =>
  (paths[path]?.get?.parameters ?? []).filter(
    ({ name, in: place }) =>
      place === "query" && !["limit", "startingAfter", "endingBefore", "sort", "expand"].includes(name),
  );
/** The list of an export: `/exports/reconciliation-items.csv` is `/reconciliation/items`. */
const listOfFile = (file: string): string | undefined => {
  const kind = /^\/exports\/(.*)\.csv$/.exec(file)?.[1] ?? "";
  return [`/${kind}`, `/${kind.replace("-", "/")}`].find((path) => paths[path]?.get);
};
/** Exports whose rows have days of their own, by which they are bounded too. */
const DAYS = ["from", "to"];
const EXPORTS = Object.keys(paths).filter((path) => path.startsWith("/exports/") && listOfFile(path));

test("a file takes the filters of its list, and no others", () => {
  assert.ok(EXPORTS.length > 25, "there are exports");
  for (const file of EXPORTS) {
    const names = (path: string) => filtersOf(path).map(({ name }) => name);
    const own = names(listOfFile(file) ?? "");
    const without = (some: string[]) => some.filter((name) => own.includes(name) || !DAYS.includes(name)).toSorted();
    assert.deepEqual(without(names(file)), own.toSorted(), file);
  }
});

/** Values of a filter that leave all, some or none of the records. */
function valuesOf({ name, schema }: Parameter, records: readonly Listed[]): readonly string[] {
  const { enum: values, format } = schema.$ref
    ? (components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {})
    : schema;
  if (values) return values;
  if (format === "date" || /^(created|paid)(From|To)$|^(from|to)$/.test(name)) return ["2000-01-01", "2100-01-01"];
  const shown = records.flatMap((record) => {
    const customer = record["customer"] as { id?: string } | null | undefined;
    const value = name === "customerId" ? (record["customerId"] ?? customer?.id) : record[name];
    return typeof value === "string" && value !== "" ? [value] : [];
  });
  return ["none", ...shown.slice(0, 1)];
}

for (const file of EXPORTS)
  test(`each filter of ${file} leaves what it leaves of the list`, async () => {
    const list = listOfFile(file) ?? "";
    const { body } = await staff<{ data: Listed[] }>("GET", `${list}?limit=100`);
    for (const filter of filtersOf(list))
      for (const value of valuesOf(filter, body.data)) {
        const query = `${filter.name === "metadata" ? "metadata[any]" : filter.name}=${encodeURIComponent(value)}`;
        const shown = await staff<{ data: Listed[] }>("GET", `${list}?limit=100&${query}`);
        const answer = await staff("GET", `${file}?${query}`);
        assert.equal(answer.status, shown.status, `${query}: ${answer.text}`);
        if (answer.status !== 200) continue;
        const rows: Record<string, string>[] = parse(answer.text, { columns: true });
        const [header = ""] = answer.text.split("\r\n");
        const key = header.split(",").includes("id") ? "id" : "reference";
        const keys = (some: readonly Record<string, unknown>[]) =>
          [...new Set(some.map((one) => String(one[key])))].toSorted();
        assert.deepEqual(keys(rows), keys(shown.body.data), `${file}?${query}`);
      }
  });

test("lists that have grown are searched by what their records are about", async () => {
  const [batch] = await listOf("/debit-batches");
  const [order] = await listOf("/reconciliation/awaited");
  const [movement] = await listOf("/subscription-movements");
  const debits = await staff<{ data: { reference: string }[] }>("GET", `/debit-batches/${batch?.id}/debits`);
  for (const [path, q, found] of [
    ["/debit-batches", String(batch?.["actionDate"]).slice(0, 7), 1],
    ["/debit-batches", debits.body.data[0]?.reference.toLowerCase(), 1],
    ["/debit-batches", batch?.id, 1],
    ["/debit-batches", "1999", 0],
    ["/debit-batches", "%", 0],
    ["/reconciliation/awaited", order?.["transactionReference"], 1],
    ["/reconciliation/awaited", String(order?.["transactionReference"]).slice(0, 4), 2],
    ["/reconciliation/awaited", "R 70,00", 1],
    ["/reconciliation/awaited", "thandi", 1],
    ["/reconciliation/awaited", "nobody", 0],
    ["/reconciliation/awaited", "'", 0],
    ["/subscription-movements", "thandi", 1],
    ["/subscription-movements", movement?.["subscriptionId"], 1],
    ["/subscription-movements", "nobody", 0],
    ["/accounting/aged-debtors/customers", "thandi", 1],
    ["/accounting/aged-debtors/customers", "nobody", 0],
    ["/gateways", "EFT", 1],
    ["/gateways", "nothing", 0],
  ] as const)
    assert.equal((await listOf(`${path}?q=${encodeURIComponent(String(q))}`)).length, found, `${path} ${q}`);
  const aged = await fileOf("/accounting/aged-debtors/csv?q=thandi");
  assert.deepEqual([aged.length, (await fileOf("/accounting/aged-debtors/csv?q=nobody")).length], [1, 0]);
});

test("a file is refused for a filter that it does not know, since it would hold more than was asked for", async () => {
  const { status, body } = await staff<{ message: string }>("GET", "/exports/invoices.csv?custmerId=cus_1");
  assert.equal(status, 400);
  assert.match(body.message, /custmerId.*Did you mean customerId/);
  assert.equal((await staff("GET", "/invoices?custmerId=cus_1")).status, 200);
});

test("nothing is due on a cancelled invoice in the file", async () => {
  const [customer] = await listOf("/customers");
  const { body, text } = await staff<{ id: string }>("POST", "/invoices", {
    customer: { id: customer?.id },
    lines: [{ description: "Ice", quantity: 1, unitPrice: 50 }],
    send: true,
  });
  assert.ok(body.id, text);
  const row = async () => (await fileOf("/exports/invoices.csv")).find(({ id }) => id === body.id);
  assert.equal((await row())?.["amountDue"], "57.50");
  assert.equal((await staff("POST", `/invoices/${body.id}/cancel`, { reason: "Twice" })).status, 200);
  assert.partialDeepStrictEqual(await row(), { status: "cancelled", total: "57.50", amountDue: "0.00" });
});

test("requests of API keys are a file, by status and key", async () => {
  await shop.merchant.get("/customers");
  await shop.merchant.get("/customers/none");
  await eventually("the request is listed", async () => (await listOf("/request-log?status=4xx")).length > 0);
  const rows = await fileOf(`/exports/request-log.csv?status=4xx&keyId=${shop.merchant.keyId}`);
  assert.deepEqual(idsOf(rows), idsOf(await listOf("/request-log?status=4xx")));
  assert.partialDeepStrictEqual(rows[0], { method: "GET", status: "404", error: "not_found" });
});

test("what is shown in several fields of a record stands in columns", async () => {
  const [packages, products, [delivery], [subscription], lines, [coupon], audit] = await Promise.all([
    fileOf("/exports/packages.csv"),
    fileOf("/exports/products.csv"),
    fileOf("/exports/webhook-deliveries.csv"),
    fileOf("/exports/subscriptions.csv"),
    fileOf("/exports/reconciliation-items.csv"),
    fileOf("/exports/coupons.csv"),
    fileOf("/exports/audit-log.csv?action=POST%20/products"),
  ]);
  assert.deepEqual(
    packages.map(({ name, planCode, amount }) => [name, planCode, amount]),
    [
      ["Pool", "", ""],
      ["Gym", "month", "100.00"],
      ["Gym", "year", "100.00"],
    ],
  );
  assert.deepEqual(
    products.map(({ name, amount, frequency }) => [name, amount, frequency]),
    [
      ["Nails", "5.00", "monthly"],
      ["'=Planks", "10.00", ""],
    ],
  );
  assert.partialDeepStrictEqual(delivery, { status: "parked", attempts: "1", statusCode: "500", error: "" });
  assert.partialDeepStrictEqual(subscription, { amount: "99.00", externalReference: "gym-1", status: "active" });
  assert.ok(lines.some(({ description, amount }) => description === "FEE, of the bank" && amount === "-5.00"));
  assert.partialDeepStrictEqual(coupon, { code: "SPRING", percent: "10", amount: "", enabled: "true" });
  assert.equal(JSON.parse(audit[0]?.["after"] ?? "").name, "Nails");
});

test("the file of an empty list has its columns", async () => {
  for (const [file, columns] of [
    ["reconciliation-rules", "id,account,fragment,direction,kind,gatewayId,status,itemId,createdAt"],
    [
      "subscriptions-migrations",
      "id,legacyReference,payerName,email,amount,frequency,nextDate,status,subscriptionId,createdAt",
    ],
  ])
    assert.equal((await staff("GET", `/exports/${file}.csv?q=none`)).text, `${columns}\r\n`);
});

test("rows that may be long are read and written a hundred at a time, newest first", async () => {
  const { services } = api;
  const ctx = await shop.merchant.ctx();
  await services.db.transaction(ctx.organisation.id, async (tx) => {
    for (let n = 1; n <= 250; n++)
      recordAudit(tx, { ...ctx, action: `POST /long/${n}`, subject: null, before: null, after: { n } });
  });
  const chunks: string[][] = [];
  for await (const chunk of await auditLogCsv(RECORDS)(services, ctx, { q: "/long/" }))
    chunks.push(String(chunk).trim().split("\r\n"));
  const [, ...pages] = chunks;
  assert.deepEqual(
    pages.map(({ length }) => length),
    [100, 100, 50],
  );
  assert.ok(pages[0]?.[0]?.includes("POST /long/250,"));
  assert.ok(pages[2]?.at(-1)?.includes("POST /long/1,"));
});

test("an export of a list needs the permission, and the feature of the list", async () => {
  const viewer = await shop.merchant.signIn("viewer");
  assert.equal((await viewer("GET", "/exports/audit-log.csv")).status, 403);
  await shop.merchant.change({ plan: "starter" });
  try {
    for (const path of ["/coupons", "/exports/coupons.csv", "/debit-batches", "/exports/debit-batches.csv"]) {
      const { status, body } = await staff("GET", path);
      assert.deepEqual([status, body["error"]], [403, "plan_restricted"], path);
    }
    assert.equal((await staff("GET", "/exports/events.csv")).status, 200);
  } finally {
    await shop.merchant.change({ plan: "business" });
  }
});
