import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openPages, type PageMerchant, type TestPages } from "../../test/support/pages.ts";
import { stopClock } from "../../test/support/still-clock.ts";
import { gatewayCallOf } from "../flows/gateways/accounts.ts";
import { signedHeaders } from "../gateways/sandbox/signing.ts";

let pages: TestPages;
let shop: PageMerchant;
let reference: string;
before(async () => {
  pages = await openPages();
  shop = await pages.addMerchant();
  reference = (await shop.start((await shop.addLink({ amount: 100, singleUse: false })).path)).reference;
});
after(() => pages.close());

const path = (account: string = shop.gateway.id, type = "sandbox") => `/api/webhooks/${type}?account=${account}`;

/** A notification as the gateway would send it, with changes. */
async function notification(changes: Record<string, unknown> = {}, merchant = shop) {
  const { organisation, now } = await merchant.ctx();
  const { credentials, machineNow } = gatewayCallOf(pages.services, organisation, merchant.gateway, now);
  const payment = {
    id: "sbp_1",
    reference,
    status: "complete",
    amount: 10_000,
    currency: "ZAR",
    fee: 390,
    payerEmail: null,
    card: null,
    decline: null,
    subscription: null,
    occurredAt: now.toISOString(),
    ...changes,
  };
  const body = JSON.stringify({ id: "sbn_1", merchantId: credentials["merchantId"], type: "payment", payment });
  return { body, headers: signedHeaders(credentials["secret"] ?? "", body, machineNow) };
}
const status = async () =>
  (await pages.query<{ status: string }>("select status from transactions where reference = $1", reference))[0]?.status;

describe("a notification", () => {
  test("that is not authentic is 400 and changes nothing", async () => {
    const { body, headers } = await notification();
    const signature = headers["sandbox-signature"] ?? "";
    const other = await notification({}, await pages.addMerchant());
    const wrong: [string, Record<string, string>, string | Buffer][] = [
      ["unsigned", {}, body],
      ["signed by another merchant", other.headers, other.body],
      ["changed", headers, body.replace("10000", "10001")],
      ["signed long ago", { "sandbox-signature": signature.replace(/t=\d+/, "t=1700000000") }, body],
      ["empty", headers, ""],
      ["no JSON", headers, "\0\xff"],
      ["bytes", headers, Buffer.from([0xff, 0xfe, 0x00])],
    ];
    for (const [what, sent, payload] of wrong) {
      const answer = await pages.request("POST", path(), { "content-type": "application/json", ...sent }, payload);
      assert.equal(answer.status, 400, what);
    }
    assert.equal(await status(), "pending");
  });

  test("with a wrong amount is acknowledged, stored and flagged, not applied", async () => {
    const { body, headers } = await notification({ amount: 9_999 });
    assert.equal((await pages.request("POST", path(), headers, body)).status, 200);
    assert.equal(await status(), "pending");
    const [row] = await pages.query<{ flags: string[] }>(
      "select flags from transactions where reference = $1",
      reference,
    );
    assert.deepEqual(row?.flags, ["notification_mismatch"]);
  });

  test("for an account that is not there, or of another type, is 404", async () => {
    const { body, headers } = await notification();
    const urls = [
      path("gw_00000000000000000000000000"),
      path("gw_x"),
      path("%00"),
      path(shop.gateway.id, "sandbox_cancel_only"),
      path(shop.gateway.id, "payfast"),
      path(shop.gateway.id, "%00"),
      path(shop.gateway.id, "constructor"),
      "/api/webhooks/sandbox",
      `${path()}&account=${shop.gateway.id}`,
    ];
    for (const url of urls) assert.equal((await pages.request("POST", url, headers, body)).status, 404, url);
    assert.equal(await status(), "pending");
  });

  test("is read unchanged, with any content type, and acknowledged with an empty 200", async () => {
    const { body, headers } = await notification();
    for (const type of [
      "application/json",
      "application/x-www-form-urlencoded",
      "text/plain",
      "nonsense",
      "multipart/form-data; boundary=x",
    ]) {
      const answer = await pages.request("POST", path(), { ...headers, "content-type": type }, body);
      assert.deepEqual([answer.status, answer.text], [200, ""], type);
    }
    const { "content-type": _, ...untyped } = headers;
    const answer = await pages.request("POST", path(), untyped, Buffer.from(body));
    assert.deepEqual([answer.status, answer.text], [200, ""], "no type");
    assert.equal(await status(), "complete");
    const rows = await pages.query<{ outcome: string }>(
      "select outcome from gateway_notifications where reference = $1 and outcome <> 'mismatch' order by id",
      reference,
    );
    assert.deepEqual(
      rows.map(({ outcome }) => outcome),
      ["applied", ...Array<string>(5).fill("repeated")],
    );
  });

  test("about an unknown payment is acknowledged and stored", async () => {
    const { body, headers } = await notification({ id: "sbp_2", reference: "TEFO-20261120-00000000" });
    assert.equal((await pages.request("POST", path(), headers, body)).status, 200);
    const rows = await pages.query("select from gateway_notifications where outcome = 'unknown_reference'");
    assert.equal(rows.length, 1);
  });

  test("comes by POST, and is no larger than a notification is", async () => {
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const { status, headers } = await pages.request(method, path());
      assert.deepEqual([status, headers.get("allow")], [405, "POST"], method);
    }
    const { headers } = await notification();
    const large = await pages.request("POST", path(), headers, "x".repeat(300_000));
    assert.equal(large.status, 413);
  });

  test("that cannot be applied is 503, and however often it is sent, it blocks no other", async (t) => {
    stopClock(t);
    const from = { "x-forwarded-for": "192.0.2.77" };
    const unrecordable = "TEFO-20270101-UNRECORD";
    const rule = "unrecordable";
    const alter = "alter table gateway_notifications";
    await pages.query(`${alter} add constraint ${rule} check (reference <> '${unrecordable}') not valid`);
    t.after(() => pages.query(`${alter} drop constraint ${rule}`));
    const { body, headers } = await notification({ reference: unrecordable });
    for (let i = 0; i < 60; i++)
      assert.equal((await pages.request("POST", path(), { ...headers, ...from }, body)).status, 503);
    const good = await notification();
    assert.equal((await pages.request("POST", path(), { ...good.headers, ...from }, good.body)).status, 200);
  });

  test("of an account with a wrong secret is refused after the limit, others' from the same network are not", async (t) => {
    stopClock(t);
    const from = { "x-forwarded-for": "192.0.2.78" };
    const another = await pages.addMerchant();
    const { body, headers } = await notification();
    for (let i = 0; i <= 50; i++) {
      const answer = await pages.request("POST", path(another.gateway.id), { ...headers, ...from }, body);
      assert.equal(answer.status, i < 50 ? 400 : 429, String(i));
    }
    assert.equal((await pages.request("POST", path(), { ...headers, ...from }, body)).status, 200);
  });

  test("many unauthenticated ones are refused, their gateway's own are not counted", async (t) => {
    stopClock(t);
    const from = { "x-forwarded-for": "192.0.2.99" };
    const { body, headers } = await notification();
    for (let i = 0; i < 60; i++)
      assert.equal((await pages.request("POST", path(), { ...headers, ...from }, body)).status, 200);
    const strangers = await Promise.all(Array.from({ length: 60 }, () => pages.request("POST", path(), from, "x")));
    const refused = strangers.filter(({ status }) => status === 400).length;
    assert.equal(strangers.filter(({ status }) => status === 429).length, 60 - refused);
    assert.equal(refused, 50);
    const limited = await pages.request("POST", path(), from, "x");
    assert.ok(Number(limited.headers.get("retry-after")) > 0);
  });
});
