import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Answer, openApi, type TestApi } from "../support/api.ts";
import { type ExternalShop, NO_TRACES, openExternalShop } from "../support/external-subscriptions.ts";
import { formOf } from "../support/uploads.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 14.5: external subscriptions from a CSV file. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

interface Row {
  readonly line: number;
  readonly action: string;
  readonly externalReference: string | null;
  readonly subscriptionId: string | null;
  readonly field: string | null;
  readonly error: string | null;
  readonly message: string | null;
}
interface Report {
  readonly object: string;
  readonly dryRun: boolean;
  readonly totals: Readonly<Record<string, number>>;
  readonly rows: readonly Row[];
}

const PATH = "/customer-subscriptions/imports";
const HEADER = "customer.externalReference,plan,externalReference,paidThrough";
const row = (reference: string, more = "") => `T1,gold,${reference},2027-02-15${more}`;
const LARGE = 10_000;

type Reported = Answer<Report & { error?: string; message?: string; issues?: { path: unknown[] }[] }>;

async function send({ staff }: ExternalShop, file: string | Uint8Array, dryRun?: string): Promise<Reported> {
  const form = await formOf(...(dryRun === undefined ? [] : [{ field: "dryRun", text: dryRun }]), {
    field: "file",
    name: "subscriptions.csv",
    bytes: typeof file === "string" ? Buffer.from(file) : file,
  });
  return staff("POST", PATH, form.body, form.headers);
}

const linesOf = (rows: readonly Row[]) => rows.map(({ line, action, field, error }) => [line, action, field, error]);

describe("an import", () => {
  test("of ten thousand rows, seven of them bad, records the others and says what is wrong with each", async () => {
    const shop = await openExternalShop(api);
    await shop.shop.post("/customers", { email: "b@example.co.za", externalReference: "T2" });
    await shop.record({ externalReference: "other", customer: { externalReference: "T2" } });
    const bad = new Map([
      [7, "T1,gold,r-7,2027-01-01"],
      [400, "T9,gold,r-400,2027-02-15"],
      [401, "T1,silver,r-401,2027-02-15"],
      [5_000, "T1,gold,,2027-02-15"],
      [5_001, "T1,gold,other,2027-02-15"],
      [9_998, "T1,gold,r-9998,soon"],
      [9_999, "T1,gold,r-9999,2027-02-15,active,x"],
    ]);
    const lines = Array.from({ length: LARGE }, (_, at) => bad.get(at) ?? row(`r-${at}`));
    const file = [HEADER, ...lines].join("\r\n");
    const faults = [
      [9, "error", "paidThrough", "invalid_request"],
      [402, "error", "customer", "invalid_request"],
      [403, "error", "plan", "invalid_request"],
      [5_002, "error", "externalReference", "invalid_request"],
      [5_003, "error", null, "external_reference_conflict"],
      [10_000, "error", "paidThrough", "invalid_request"],
      [10_001, "error", null, "invalid_request"],
    ];
    const dry = await send(shop, file, "true");
    assert.equal(dry.status, 200, dry.text.slice(0, 500));
    assert.deepEqual(dry.body.totals, { rows: LARGE, create: LARGE - 7, exists: 0, error: 7 });
    assert.equal((await shop.traces())["subscriptions"], 1, "nothing is written");
    const done = await send(shop, file);
    assert.equal(done.status, 201, done.text.slice(0, 500));
    assert.deepEqual(done.body.totals, dry.body.totals);
    for (const { body } of [dry, done])
      assert.deepEqual(
        linesOf(body.rows.filter(({ action }) => action === "error")),
        faults.map((fault) => fault.with(0, fault[0] ?? 0)),
      );
    assert.deepEqual(await shop.traces(), { ...NO_TRACES, subscriptions: LARGE - 6, periods: LARGE - 6 });
    const again = await send(shop, file);
    assert.equal(again.status, 200);
    assert.deepEqual(again.body.totals, { rows: LARGE, create: 0, exists: LARGE - 7, error: 7 });
    assert.deepEqual(
      again.body.rows.map(({ subscriptionId }) => subscriptionId),
      done.body.rows.map(({ subscriptionId }) => subscriptionId),
    );
  });

  test("takes every column, and records what a create would", async () => {
    const shop = await openExternalShop(api);
    const header =
      "Customer.Id;PlanId;externalReference;status;paidThrough;currentPeriodStart;trialEnd;cancelAtPeriodEnd;quantity;items;metadata.importedFrom;metadata.note";
    const items = JSON.stringify([{ kind: "addon", code: "s", description: "Seats", unitAmount: 10, quantity: 2 }]);
    const cells = [
      shop.customer,
      shop.planId,
      "P1",
      "Trialing",
      "2027/02/15",
      "2027/01/20",
      "2027-02-15",
      "Yes",
      "3",
      `"${items.replaceAll('"', '""')}"`,
      "OldBilling",
      "=1+1",
    ];
    const { body } = await send(shop, `${header}\n${cells.join(";")}\n`);
    const [{ subscriptionId, ...report } = {} as Row] = body.rows;
    assert.deepEqual(report, {
      line: 2,
      action: "create",
      externalReference: "P1",
      field: null,
      error: null,
      message: null,
    });
    const shown = await shop.now(subscriptionId ?? "");
    for (const [field, expected] of Object.entries({
      status: "trialing",
      currentPeriodStart: "2027-01-20",
      currentPeriodEnd: "2027-02-15",
      cancelAtPeriodEnd: true,
      quantity: 3,
      billedBy: "OldBilling",
      metadata: { importedFrom: "OldBilling", note: "=1+1" },
      source: "import",
      amount: 320,
    }))
      assert.deepEqual(shown[field], expected, field);
  });

  test("reports a reference that is there twice as a create would answer it", async () => {
    const shop = await openExternalShop(api);
    const file = [HEADER, row("P1"), row("P1")].join("\n");
    const dry = await send(shop, file, "true");
    assert.deepEqual(
      dry.body.rows.map(({ action, subscriptionId }) => [action, subscriptionId]),
      [
        ["create", null],
        ["exists", null],
      ],
    );
    const { body } = await send(shop, file, "false");
    assert.deepEqual(
      body.rows.map(({ action }) => action),
      ["create", "exists"],
    );
    assert.equal(body.rows[0]?.subscriptionId, body.rows[1]?.subscriptionId);
    const audit = await shop.staff<{ data: { action: string; after: { created: string[] } }[] }>("GET", "/audit-log");
    const [entry] = audit.body.data.filter(({ action }) => action.endsWith("/imports"));
    assert.deepEqual(entry?.after.created, [body.rows[0]?.subscriptionId]);
  });

  test("twice at once records each row once", async () => {
    const shop = await openExternalShop(api);
    const file = [HEADER, ...Array.from({ length: 500 }, (_, at) => row(`r-${at}`))].join("\n");
    const answers = await Promise.all([send(shop, file), send(shop, file)]);
    assert.equal(
      answers.reduce((sum, { body }) => sum + (body.totals["create"] ?? 0), 0),
      500,
    );
    assert.deepEqual(await shop.traces(), { ...NO_TRACES, subscriptions: 500, periods: 500 });
  });

  for (const [what, bytes] of [
    ["UTF-8", Buffer.from(`${HEADER},metadata.note\n${row("P1", ",Zoë")}\n`)],
    ["UTF-8 with a byte order mark", Buffer.from(`\ufeff${HEADER},metadata.note\n${row("P1", ",Zoë")}\n`)],
    ["Windows-1252", Buffer.from(`${HEADER},metadata.note\n${row("P1", ",Zoë")}\n`, "latin1")],
  ] as const)
    test(`reads ${what}`, async () => {
      const shop = await openExternalShop(api);
      const { body, text } = await send(shop, bytes);
      assert.equal(body.totals?.["create"], 1, text);
      assert.deepEqual((await shop.now(body.rows[0]?.subscriptionId ?? ""))["metadata"], { note: "Zoë" });
    });
});

describe("refused as a whole", () => {
  for (const [what, file, message] of [
    ["an empty file", "", /empty/],
    ["a column that does not exist", `${HEADER},couponCode\n`, /no column named "couponCode"/],
    ["a column twice", `${HEADER},Plan\n`, /plan is there twice/],
    ["no column of references", "plan,paidThrough\n", /externalReference/],
    ["a quotation mark that is not closed", `${HEADER}\n"T1,gold,P1,2027-02-15\n`, /not CSV/],
    ["more rows than it may have", [HEADER, ...Array(20_001).fill(row("P1"))].join("\n"), /at most 20000 rows/],
  ] as const)
    test(what, async () => {
      const shop = await openExternalShop(api);
      const { status, body } = await send(shop, file);
      assert.deepEqual([status, body.error], [400, "invalid_request"]);
      assert.match(body.message ?? "", message);
      assert.equal((await shop.traces())["subscriptions"], 0);
    });

  test("a dryRun that is neither true nor false", async () => {
    const shop = await openExternalShop(api);
    const { status, body } = await send(shop, `${HEADER}\n${row("P1")}\n`, "yes");
    assert.deepEqual([status, body.issues?.[0]?.path], [400, ["dryRun"]]);
  });

  test("over 10 MB: 413; JSON: 415; without permission: 403", async () => {
    const shop = await openExternalShop(api);
    assert.equal((await send(shop, Buffer.alloc(10 * 1024 * 1024 + 1, 65))).status, 413);
    assert.equal((await shop.staff("POST", PATH, {})).status, 415);
    const viewer = await shop.shop.signIn("viewer");
    const form = await formOf({ field: "file", name: "a.csv", bytes: Buffer.from(HEADER) });
    const refused = await viewer<{ error: string }>("POST", PATH, form.body, form.headers);
    assert.deepEqual([refused.status, refused.body.error], [403, "permission_required"]);
  });
});
