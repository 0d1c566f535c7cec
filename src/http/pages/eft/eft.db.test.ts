import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  formTokenIn,
  openPages,
  type PageAnswer,
  type PageMerchant,
  type TestPages,
} from "../../../../test/support/pages.ts";
import { stopClock } from "../../../../test/support/still-clock.ts";
import { formOf, type Part, pdfOf } from "../../../../test/support/uploads.ts";
import { cancelEftOrder } from "../../../flows/eft-orders/cancel-eft-order.ts";
import { approveEftOrder, rejectEftOrder } from "../../../flows/eft-orders/review-eft-order.ts";
import type { GatewayAccount } from "../../../modules/gateway-accounts/types.ts";

const BANK = {
  bankName: "Karoo Bank",
  accountName: "Karoo Books",
  accountNumber: "62123456789",
  branchCode: "250655",
  accountType: "current",
};

let pages: TestPages;
let shop: PageMerchant;
let bank: GatewayAccount;
before(async () => {
  pages = await openPages();
  shop = await pages.addMerchant();
  bank = await shop.addGateway({ type: "manual_eft", credentials: BANK });
});
after(() => pages.close());

interface OrderRow {
  readonly id: string;
  readonly reference: string;
  readonly status: string;
  readonly payer_email: string | null;
  readonly payment_link_id: string;
}

/** Chooses bank transfer on a link's page; returns the path of the order's page. */
async function choose(path: string, fields: Record<string, string> = {}): Promise<string> {
  const { status, location, text } = await pages.post(path, {
    gateway: bank.id,
    formToken: formTokenIn(await pages.get(path)),
    ...fields,
  });
  assert.equal(status, 303, text.slice(0, 500));
  assert.match(location, /^\/eft\/[A-Za-z0-9_-]{64}$/);
  return location;
}

const ordersOf = (linkId: string) =>
  pages.query<OrderRow>("select * from eft_orders where payment_link_id = $1 order by id", linkId);
const begin = async (body: Record<string, unknown> = {}) => {
  const { link, path } = await shop.addLink(body);
  const page = await choose(path);
  const [order] = await ordersOf(link.id);
  assert.ok(order);
  return { link, payPath: path, page, order };
};
const send = async (
  path: string,
  parts: readonly Part[],
  headers: Record<string, string> = {},
): Promise<PageAnswer> => {
  const form = await formOf(...parts);
  return pages.post(path, form.body, { ...form.headers, ...headers });
};
const slip = (note = String(Math.random())): Part => ({ field: "file", name: "slip.pdf", bytes: pdfOf(note) });
const statusOf = async (id: string) =>
  (await pages.query<{ status: string }>("select status from eft_orders where id = $1", id))[0]?.status;

describe("bank transfer on a pay page (interface 4.2, behaviour 4)", () => {
  test("is offered as a way to pay, and makes the order with its transaction", async () => {
    const { link, path } = await shop.addLink({ externalReference: "o-1", metadata: { a: "b" } });
    const page = await pages.get(path);
    assert.match(page.text, new RegExp(`type="radio" name="gateway" value="${bank.id}"`));
    assert.match(page.text, /Bank transfer.*Karoo Bank/s);
    await choose(path, { email: "thandi@example.co.za" });
    const [order] = await ordersOf(link.id);
    const [transaction] = await pages.query<Record<string, unknown>>(
      "select * from transactions where eft_order_id = $1",
      order?.id,
    );
    assert.deepEqual(
      [order?.status, order?.payer_email, transaction?.["reference"], transaction?.["type"], transaction?.["status"]],
      ["awaiting_payment", "thandi@example.co.za", order?.reference, "eft", "pending"],
    );
    assert.deepEqual(
      [
        transaction?.["payment_link_id"],
        transaction?.["external_reference"],
        transaction?.["metadata"],
        transaction?.["description"],
      ],
      [link.id, "o-1", { a: "b" }, "Order 1042"],
    );
    const due = await pages.query<{ kind: string }>(
      "select kind from due_work where subject in ($1, $2) order by kind",
      order?.id,
      transaction?.["id"],
    );
    assert.deepEqual(
      due.map(({ kind }) => kind),
      ["eft.expire", "eft.remind"],
    );
  });

  test("a payer who comes back to a single-use link finds the same order, also twenty at once", async () => {
    const { link, path } = await shop.addLink();
    const first = await choose(path);
    const again = await Promise.all(Array.from({ length: 20 }, () => choose(path)));
    assert.deepEqual(new Set(again), new Set([first]));
    assert.equal((await ordersOf(link.id)).length, 1);
  });

  test("a cancelled order is followed by a new one; a link for many payers makes one each", async () => {
    const { link, payPath, order } = await begin();
    const ctx = await shop.ctx();
    await pages.services.db.transaction(shop.organisation.id, (tx) => cancelEftOrder(tx, ctx, order.id));
    await choose(payPath);
    assert.equal((await ordersOf(link.id)).length, 2);
    const many = await shop.addLink({ singleUse: false });
    assert.notEqual(await choose(many.path), await choose(many.path));
  });

  test("is enough as the only way to pay", async () => {
    const only = await pages.addMerchant();
    await pages.query("update gateway_accounts set enabled = false where organisation_id = $1", only.organisation.id);
    const account = await only.addGateway({ type: "manual_eft", credentials: BANK });
    const { path } = await only.addLink();
    const page = await pages.get(path);
    assert.match(page.text, new RegExp(`value="${account.id}" required checked`));
    assert.doesNotMatch(page.text, /Card details/);
    const { status, location } = await pages.post(path, { gateway: account.id });
    assert.equal(status, 303);
    assert.equal((await pages.get(location)).heading, "Pay by bank transfer");
  });

  test("is not offered in another currency, nor when it is disabled", async () => {
    const other = await pages.addMerchant();
    const account = await other.addGateway({ type: "manual_eft", credentials: BANK });
    const { path } = await other.addLink();
    await pages.query("update gateway_accounts set currencies = '{USD}' where id = $1", account.id);
    assert.doesNotMatch((await pages.get(path)).text, /Bank transfer/);
    assert.equal((await pages.post(path, { gateway: account.id })).status, 400);
    await pages.query("update gateway_accounts set currencies = '{ZAR}', enabled = false where id = $1", account.id);
    assert.doesNotMatch((await pages.get(path)).text, /Bank transfer/);
  });

  test("its result and cancel pages lead to the order's page while it is pending, and change nothing", async () => {
    const { payPath, page, order } = await begin();
    for (const way of ["result", "cancel"]) {
      const { status, location } = await pages.get(`${payPath}/${way}/${order.reference}`);
      assert.deepEqual([status, location], [303, page]);
    }
    assert.equal(await pages.statusOf(order.reference), "pending");
  });
});

describe("the payer's page", () => {
  test("shows where to deposit and with which reference", async () => {
    const { page, order } = await begin();
    const { status, text, headers } = await pages.get(page);
    assert.equal(status, 200);
    for (const value of [order.reference, ...Object.values(BANK)])
      assert.match(
        text,
        new RegExp(`<bdi>${value}</bdi><button type="button" class="plain-button copy" data-copy="${value}" hidden>`),
      );
    assert.match(text, /data-copy="1234\.50" hidden/);
    assert.match(text, /<label for="file">Proof of payment<\/label>/);
    assert.match(
      text,
      /<input type="file" id="file" name="file" autocomplete="off" accept="application\/pdf[^"]*" required/,
    );
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.equal(headers.get("cache-control"), "no-store");
    assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'.*frame-ancestors 'none'/);
  });

  test("a token changed in any character is 404, and so is a pay link's", async () => {
    const { page, payPath } = await begin();
    const never = await pages.get(`/eft/${"A".repeat(64)}`);
    assert.equal(never.status, 404);
    for (let at = "/eft/".length; at < page.length; at++) {
      const other = page[at] === "A" ? "B" : "A";
      const tampered = await pages.get(page.slice(0, at) + other + page.slice(at + 1));
      assert.deepEqual([tampered.status, tampered.text], [404, never.text], `character ${at}`);
    }
    assert.equal((await pages.get(payPath.replace("/pay/", "/eft/"))).status, 404);
    assert.equal((await pages.get(page.replace("/eft/", "/pay/"))).status, 404);
    assert.equal((await send(`/eft/${"A".repeat(64)}`, [slip()])).status, 404);
  });

  test("answers to GET, HEAD and POST only", async () => {
    const { page } = await begin();
    assert.equal((await pages.request("HEAD", page)).status, 200);
    const { status, headers } = await pages.request("DELETE", page);
    assert.deepEqual([status, headers.get("allow")], [405, "GET, HEAD, POST"]);
  });

  test("shows the outcome of the order", async () => {
    const { page, order, payPath } = await begin({ returnUrl: "https://shop.example/back" });
    const ctx = await shop.ctx();
    await pages.query("update eft_orders set expires_at = created_at - interval '1 hour' where id = $1", order.id);
    const expired = await pages.get(page);
    assert.equal(expired.heading, "This bank transfer has expired");
    assert.doesNotMatch(expired.text, /<form/);
    await pages.services.db.transaction(shop.organisation.id, (tx) => approveEftOrder(tx, ctx, order.id));
    const paid = await pages.get(page);
    assert.equal(paid.heading, "Payment received");
    assert.match(
      paid.text,
      new RegExp(`href="https://shop.example/back\\?reference=${order.reference}&amp;status=complete"`),
    );
    assert.equal(
      (await pages.get(`${payPath}/result/${order.reference}`)).location,
      `https://shop.example/back?reference=${order.reference}&status=complete`,
    );
    const other = await begin();
    await pages.services.db.transaction(shop.organisation.id, (tx) => cancelEftOrder(tx, ctx, other.order.id));
    assert.equal((await pages.get(other.page)).heading, "This bank transfer was cancelled");
  });
});

describe("a transfer whose link takes no payment any more", () => {
  const ENDS: Readonly<Record<string, readonly [end: (link: string) => Promise<unknown>, heading: string]>> = {
    "was paid otherwise": [
      (id) => pages.query("update payment_links set paid_count = 1, active = false where id = $1", id),
      "Already paid",
    ],
    "was switched off": [
      (id) => pages.query("update payment_links set active = false where id = $1", id),
      "This payment link is switched off",
    ],
  };
  for (const [name, [end, heading]] of Object.entries(ENDS))
    test(`because it ${name}: the page says so in place of the bank details`, async () => {
      const { link, page, order } = await begin();
      await end(link.id);
      const closed = await pages.get(page);
      assert.deepEqual([closed.status, closed.heading], [200, heading]);
      assert.doesNotMatch(closed.text, /62123456789|<form/);
      assert.match(closed.text, new RegExp(order.reference));
      assert.match(closed.text, /If you have made the transfer, tell .*: it can still be matched\./);
    });

  test("with a proof that waits for review: the page says that it is checked, and once rejected that the link is closed", async () => {
    const { link, page, order } = await begin();
    assert.equal((await send(page, [slip()])).status, 303);
    await pages.query("update payment_links set active = false where id = $1", link.id);
    assert.equal((await pages.get(page)).heading, "Your proof is being checked");
    const ctx = await shop.ctx();
    await pages.services.db.transaction(shop.organisation.id, (tx) => rejectEftOrder(tx, ctx, order.id, "Too dark."));
    assert.equal((await pages.get(page)).heading, "This payment link is switched off");
  });

  test("from a page that was opened before: the proof is taken", async () => {
    const { link, page } = await begin();
    await pages.query("update payment_links set active = false where id = $1", link.id);
    assert.equal((await send(page, [slip()])).status, 303);
    assert.equal((await pages.get(page)).heading, "Your proof is being checked");
  });

  test("but not because it has expired: who began in time has a week", async () => {
    const { link, page } = await begin();
    await pages.query("update payment_links set expires_at = now() - interval '1 hour' where id = $1", link.id);
    assert.equal((await pages.get(page)).heading, "Pay by bank transfer");
  });
});

describe("a proof from the payer", () => {
  test("is kept, and leads back to the page by 303", async () => {
    const { page, order } = await begin();
    const token = { field: "formToken", text: formTokenIn(await pages.get(page)) };
    const { status, location } = await send(page, [slip(), token], { origin: "null" });
    assert.deepEqual([status, location], [303, page]);
    const after = await pages.get(page);
    assert.equal(after.heading, "Your proof is being checked");
    assert.match(after.text, /slip\.pdf/);
    const proofs = await pages.query<{ source: string }>("select source from eft_proofs where order_id = $1", order.id);
    assert.deepEqual(proofs, [{ source: "payer" }]);
    const events = await pages.query<{ type: string }>("select type from events where subject = $1", order.id);
    assert.deepEqual(events, [{ type: "eft.proof_received" }]);
  });

  const FAULTS: [string, readonly Part[], RegExp][] = [
    ["nothing chosen", [{ field: "file", name: "", bytes: Buffer.alloc(0) }], /Choose the file first/],
    ["no file field", [{ field: "x", text: "y" }], /Choose the file first/],
    ["an empty file", [{ field: "file", name: "a.pdf", bytes: Buffer.alloc(0) }], /The file is empty/],
    [
      "a web page",
      [{ field: "file", name: "proof.pdf", bytes: Buffer.from("<html></html>") }],
      /must be a whole PDF, PNG or JPEG/,
    ],
  ];
  for (const [name, parts, words] of FAULTS)
    test(`${name}: 400 and the page says so`, async () => {
      const { page, order } = await begin();
      const answer = await send(page, parts);
      assert.equal(answer.status, 400);
      assert.match(answer.text, words);
      assert.match(answer.text, /<input type="file"[^>]* aria-invalid="true"/);
      assert.equal(await statusOf(order.id), "awaiting_payment");
    });

  test("over ten megabytes: 413; a form that is no upload: 415; each as a page", async () => {
    const { page } = await begin();
    const large = await send(page, [{ field: "file", name: "a.pdf", bytes: Buffer.alloc(10 * 1024 * 1024 + 1) }]);
    assert.deepEqual([large.status, large.heading], [413, "Pay by bank transfer"]);
    assert.match(large.text, /at most 10 MB/);
    const plain = await pages.post(page, { file: "x" });
    assert.deepEqual([plain.status, plain.heading], [415, "Pay by bank transfer"]);
  });

  test("sent from another website, or without the page's token: 403", async () => {
    const { page, order } = await begin();
    assert.equal(
      (await send(page, [slip()], { origin: "https://evil.example", "sec-fetch-site": "cross-site" })).status,
      403,
    );
    assert.equal((await send(page, [slip()], { origin: "null", "sec-fetch-site": "cross-site" })).status, 403);
    const other = { field: "formToken", text: formTokenIn(await pages.get((await begin()).page)) };
    assert.equal((await send(page, [slip(), other], { origin: "null" })).status, 403);
    assert.equal(await statusOf(order.id), "awaiting_payment");
  });

  test("the sixteenth in ten minutes from one address: 429, with the file unread", async (t) => {
    stopClock(t);
    const { page } = await begin();
    const from = { "x-forwarded-for": "10.9.8.7" };
    const part = slip();
    for (let n = 0; n < 15; n++) assert.equal((await send(page, [part], from)).status, 303);
    const limited = await send(page, [part], from);
    assert.equal(limited.status, 429);
    assert.ok(Number(limited.headers.get("retry-after")) > 0);
    assert.equal((await send(page, [part])).status, 303);
  });

  test("on a paid order: its page, and nothing kept", async () => {
    const { page, order } = await begin();
    const ctx = await shop.ctx();
    await pages.services.db.transaction(shop.organisation.id, (tx) => approveEftOrder(tx, ctx, order.id));
    const answer = await send(page, [slip()]);
    assert.deepEqual([answer.status, answer.heading], [400, "Payment received"]);
    assert.deepEqual(await pages.query("select id from eft_proofs where order_id = $1", order.id), []);
  });

  test("of a read-only merchant: the page shows the details and takes none", async () => {
    const closed = await pages.addMerchant();
    const account = await closed.addGateway({ type: "manual_eft", credentials: BANK });
    const { path } = await closed.addLink();
    const { location } = await pages.post(path, { gateway: account.id });
    await pages.query("update organisations set state = 'suspended' where id = $1", closed.organisation.id);
    for (const page of [await pages.get(location), await send(location, [slip()])]) {
      assert.equal(page.status, 200);
      assert.match(page.text, /cannot take proofs of payment here at the moment/);
      assert.match(page.text, /62123456789/);
      assert.doesNotMatch(page.text, /<form/);
    }
    assert.deepEqual(
      await pages.query("select id from eft_proofs where organisation_id = $1", closed.organisation.id),
      [],
    );
  });
});
