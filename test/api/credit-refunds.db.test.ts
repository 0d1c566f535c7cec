import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Answer, issuePaths, openApi, type Refusal, type StaffCall, type TestApi } from "../support/api.ts";
import { EXCHANGE, type Invoicing, NOW, openInvoicing } from "../support/invoices.ts";
import { fc } from "../support/property.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

interface Paid {
  readonly id: string;
  readonly amount: number;
  readonly sources: readonly {
    readonly transactionReference: string | null;
    readonly invoiceId: string | null;
    readonly amount: number;
  }[];
  readonly [field: string]: unknown;
}
interface Stage extends Invoicing {
  readonly staff: StaffCall;
  payOut<Body = Paid>(body?: object): Promise<Answer<Body>>;
  credit(): Promise<unknown>;
}

async function open(): Promise<Stage> {
  const shop = await openInvoicing(api);
  const staff = await shop.merchant.signIn("finance");
  return {
    ...shop,
    staff,
    payOut: (body) => staff("POST", `/customers/${shop.customerId}/credit-refunds`, body),
    credit: async () => (await shop.standing())["credit"],
  };
}

describe("credit that is paid out", () => {
  test("of an overpayment: the object, its event, the books, the standing, the list", async () => {
    const shop = await open();
    const invoice = await shop.owe(100);
    const reference = await shop.payOnline(invoice.id, 130);
    const before = await shop.books();
    const payable = (query = "") => shop.staff("GET", `/customers/${shop.customerId}/payable-credit${query}`);
    const { body: told } = await payable();
    assert.deepEqual(told, {
      ...{ object: "payable_credit", customerId: shop.customerId, currency: "ZAR", currencies: ["ZAR"], amount: 30 },
      sources: [{ transactionReference: reference, invoiceId: null, itemId: null, amount: 30 }],
      heldUntil: null,
    });
    assert.deepEqual((await payable("?currency=USD")).body["amount"], 0);
    const { status, body, text } = await shop.payOut({ amount: 20, reason: "Asked by phone", method: "manual" });
    assert.equal(status, 201, text);
    const { id, ...rest } = body;
    assert.match(id, /^crf_[0-9a-z]{26}$/);
    assert.deepEqual(rest, {
      ...{ object: "credit_refund", customerId: shop.customerId, amount: 20, currency: "ZAR", method: "manual" },
      reason: "Asked by phone",
      sources: [{ transactionReference: reference, invoiceId: null, itemId: null, amount: 20 }],
      createdAt: NOW,
    });
    assert.deepEqual(await shop.eventsOf(id), [{ type: "customer.credit_refunded", data: body }]);
    const after = await shop.books();
    assert.deepEqual([before["customer_credit"], after["customer_credit"]], [-3000, -1000]);
    assert.deepEqual([before["bank"] ?? 0, after["bank"]], [0, -2000]);
    assert.deepEqual([await shop.credit(), (await payable()).body["amount"]], [10, 10]);
    const listed = await shop.staff<{ data: Paid[] }>("GET", `/customers/${shop.customerId}/credit-refunds`);
    assert.deepEqual(listed.body.data, [body]);
    const rest10 = await shop.payOut();
    assert.deepEqual([rest10.status, rest10.body.amount, await shop.credit()], [201, 10, 0]);
    assert.equal((await shop.payOut()).status, 400);
    assert.deepEqual((await payable()).body["currencies"], []);
  });

  test("of cancelled invoices, paid by hand and through a gateway, oldest payment first", async () => {
    const shop = await open();
    const invoice = await shop.owe(100);
    const reference = await shop.payOnline(invoice.id, 40);
    await shop.payOffline(invoice.id, 30);
    await shop.act(invoice.id, "cancel");
    assert.equal(await shop.credit(), 70);
    const { body } = await shop.payOut({ amount: 50 });
    const amounts = new Map(
      body.sources.map((source) => [source.transactionReference ?? source.invoiceId, source.amount]),
    );
    assert.equal(body.sources.length, 2);
    assert.deepEqual([...amounts.keys()].toSorted(), [reference, invoice.id].toSorted());
    assert.equal(
      body.sources.reduce((total, { amount }) => total + amount, 0),
      50,
    );
    assert.equal((await shop.payOut({ amount: 20.01 })).status, 400);
    assert.equal((await shop.payOut({ amount: 20 })).status, 201);
    assert.deepEqual([await shop.credit(), (await shop.books())["customer_credit"]], [0, undefined]);
  });

  test("is refunded no more: the payment gives back what is left of it", async () => {
    const shop = await open();
    const invoice = await shop.owe(100);
    const reference = await shop.payOnline(invoice.id, 130);
    await shop.payOut({ amount: 20 });
    const refund = (amount: number) =>
      shop.staff<Refusal>("POST", `/transactions/${reference}/refunds`, { amount, method: "manual" });
    const refused = await refund(110.01);
    assert.equal(refused.status, 400);
    assert.match(refused.body.message, /110\.00 is left/);
    assert.equal((await refund(110)).status, 201);
    assert.equal(await shop.credit(), 0);
    const { refunds, customer_credit } = await shop.books();
    assert.deepEqual([refunds, customer_credit], [10_000, undefined]);
    assert.equal((await shop.payOut()).status, 400);
  });

  test("is not what a refund that the gateway has not made yet will take", async () => {
    const shop = await open();
    const invoice = await shop.owe(100);
    const reference = await shop.payOnline(invoice.id, 130);
    await api.query(
      `insert into refunds (organisation_id, id, transaction_id, refund_number, amount_cents, currency, method, status, created_at)
       select organisation_id, 'ref_waiting', id, reference || '-R1', 1000, 'ZAR', 'gateway', 'requested', created_at
         from transactions where reference = $1`,
      reference,
    );
    const refused = await shop.payOut<Refusal>({ amount: 20.01 });
    assert.deepEqual([refused.status, issuePaths(refused)], [400, ["amount"]]);
    assert.equal((await shop.payOut({ amount: 20 })).status, 201);
    await api.query("delete from refunds where id = 'ref_waiting'");
  });

  test("is never more than there is, by 20 requests at once, nor beside a refund of the payment", async () => {
    const shop = await open();
    const invoice = await shop.owe(100);
    const reference = await shop.payOnline(invoice.id, 200);
    const asked = [
      ...Array.from({ length: 20 }, () => shop.payOut({ amount: 15 })),
      shop.staff("POST", `/transactions/${reference}/refunds`, { amount: 190, method: "manual" }),
    ];
    const answers = await Promise.all(asked);
    const made = answers.filter(({ status }) => status === 201);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201, 400]));
    const [row] = await api.query<{ out: string; refunded: string }>(
      `select (select coalesce(sum(amount_cents), 0) from credit_refunds where organisation_id = $1) as out,
              (select coalesce(sum(amount_cents), 0) from refunds where organisation_id = $1) as refunded`,
      shop.merchant.organisation.id,
    );
    const [out, refunded] = [Number(row?.out), Number(row?.refunded)];
    assert.ok(out <= 10_000 && out + refunded <= 20_000, `${out} and ${refunded}`);
    assert.ok(refunded > 0 ? made.length === 1 : out === 9_000, `${out} and ${refunded}`);
  });

  test("of a credit note is none, nor of another currency, nor of another customer", async () => {
    const shop = await open();
    await shop.staff("POST", "/credit-notes", {
      customerId: shop.customerId,
      amount: 50,
      taxRate: 0,
      reason: "Goodwill",
    });
    const dollars = await shop.owe(10, { currency: "USD", exchange: EXCHANGE });
    await shop.payOffline(dollars.id, 10);
    const refused = await shop.payOut<Refusal>({ amount: 1 });
    assert.deepEqual([refused.status, issuePaths(refused)], [400, ["amount"]]);
    assert.match(refused.body.message, /Credit notes are applied to invoices/);
    assert.equal((await shop.staff("POST", "/customers/cus_none/credit-refunds", { amount: 1 })).status, 404);
    const other = await open();
    assert.equal((await other.staff("POST", `/customers/${shop.customerId}/credit-refunds`, {})).status, 404);
    assert.equal((await other.staff("GET", `/customers/${shop.customerId}/credit-refunds`)).status, 404);
    assert.equal((await other.staff("GET", `/customers/${shop.customerId}/payable-credit`)).status, 404);
  });

  const WRONG: readonly [string, object, string][] = [
    ["an amount of 0", { amount: 0 }, "amount"],
    ["an amount of null", { amount: null }, "amount"],
    ["an amount as text", { amount: "10" }, "amount"],
    ["through a gateway", { method: "gateway" }, "method"],
    ["an unknown currency", { currency: "RND" }, "currency"],
    ["a reason of 501", { reason: "a".repeat(501) }, "reason"],
  ];
  test("what is refused", async () => {
    const shop = await open();
    for (const [name, body, path] of WRONG) {
      const answer = await shop.payOut<Refusal>(body);
      assert.deepEqual([answer.status, answer.body.error, ...issuePaths(answer)], [400, "invalid_request", path], name);
    }
    for (const role of ["support", "viewer"] as const) {
      const staff = await shop.merchant.signIn(role);
      assert.equal((await staff("GET", `/customers/${shop.customerId}/credit-refunds`)).status, 200, role);
      assert.equal((await staff("POST", `/customers/${shop.customerId}/credit-refunds`, {})).status, 403, role);
    }
  });

  test("in any order with payments, refunds and cancellations leaves the books as `verify` computes them", async () => {
    const step = fc.record({
      what: fc.constantFrom("pay", "cash", "refund", "payOut", "cancel"),
      amount: fc.integer({ min: 1, max: 90 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
        const shop = await open();
        const invoice = await shop.owe(60);
        const paid: string[] = [];
        for (const { what, amount } of steps) {
          if (what === "pay") paid.push(await shop.payOnline(invoice.id, amount));
          if (what === "cash") await shop.payOffline(invoice.id, amount);
          if (what === "cancel") await shop.act(invoice.id, "cancel");
          if (what === "payOut") await shop.payOut({ amount });
          const reference = paid[amount % Math.max(1, paid.length)];
          if (what === "refund" && reference)
            await shop.staff("POST", `/transactions/${reference}/refunds`, { amount, method: "manual" });
        }
        assert.ok(((await shop.books())["customer_credit"] ?? 0) <= 0);
      }),
      { numRuns: 12 },
    );
  });
});

describe("bank details that change", () => {
  const BANK = { bankName: "Karoo Bank", accountName: "Shop", accountNumber: "62 0012 34567", branchCode: "250655" };
  const later = (hours: number) => new Date(Date.parse(NOW) + hours * 3_600_000).toISOString();
  type Mailed = {
    readonly kind: string;
    readonly recipients: string[];
    readonly subject: string;
    readonly text: string;
  };
  interface Hold {
    readonly heldUntil: string | null;
    readonly changes: readonly Readonly<Record<string, unknown>>[];
  }

  async function openBank() {
    const shop = await open();
    const [owner, other] = [await shop.merchant.addStaff("owner"), await shop.merchant.addStaff("owner")];
    const admin = await shop.merchant.signIn("admin");
    const emails = async () =>
      (await admin<{ data: Mailed[] }>("GET", "/emails?limit=100")).body.data.filter(
        ({ kind }) => kind === "bank_details_changed",
      );
    return {
      ...shop,
      admin,
      owners: [owner.email, other.email].toSorted(),
      mails: async () => (await emails()).toReversed(),
      hold: async () => (await shop.staff<Hold>("GET", "/payout-hold")).body,
      at: (hours: number) => shop.merchant.change({ clock_at: later(hours) }),
      add: (fields: object = {}) =>
        admin<{ id: string }>("POST", "/gateways", { type: "manual_eft", name: "FNB", credentials: BANK, ...fields }),
    };
  }

  test("mail every owner and hold payouts for a day; two changes in a day, an owner who comes between, the first details", async () => {
    const shop = await openBank();
    const invoice = await shop.owe(100);
    await shop.payOnline(invoice.id, 130);
    const { id } = (await shop.add()).body;
    const change = (credentials: object, more: object = {}) =>
      shop.admin("PATCH", `/gateways/${id}`, { credentials, ...more });
    const [first] = await shop.mails();
    assert.deepEqual(first?.recipients.toSorted(), shop.owners);
    assert.match(first?.text ?? "", /Before: none\nNow: Karoo Bank ••••4567, Shop\n/);
    assert.deepEqual(await shop.hold(), { object: "payout_hold", heldUntil: null, changes: [] });
    assert.equal((await shop.payOut({ amount: 5 })).status, 201);

    // What they are already, another field of the account, and a change that is refused.
    assert.equal((await change(BANK)).status, 200);
    assert.equal((await shop.admin("PATCH", `/gateways/${id}`, { name: "FNB cheque", enabled: false })).status, 200);
    const stale = await change({ accountNumber: "999999999" }, { name: "x", opened: { name: "Another" } });
    assert.deepEqual([stale.status, stale.body["error"]], [409, "record_changed"]);
    assert.equal((await shop.mails()).length, 1);

    assert.equal((await change({ accountNumber: "4055550001", branchCode: "632005" })).status, 200);
    const [, second] = await shop.mails();
    assert.deepEqual(second?.recipients.toSorted(), shop.owners);
    assert.match(second?.subject ?? "", /^TEST: Bank details of .* were changed$/);
    for (const line of [
      "Gateway account: FNB cheque",
      "Before: Karoo Bank ••••4567, Shop",
      "Now: Karoo Bank ••••0001, Shop",
      "Changed: account number, branch code",
      "Date: 1 March 2027, 12:00, South African time",
    ])
      assert.ok(second?.text.split("\n").includes(line), `${line}\n${second?.text}`);
    assert.match(second?.text ?? "", /\nBy: admin \(admin\.\w+@.*\)\nIP address: 10\./);
    assert.doesNotMatch(JSON.stringify(await shop.mails()), /405555|620012|62 0012|632005/);

    const held = await shop.hold();
    assert.equal(held.heldUntil, later(24));
    assert.partialDeepStrictEqual(held.changes, [
      {
        ...{ kind: "changed", gatewayId: id, gatewayName: "FNB cheque", fields: ["accountNumber", "branchCode"] },
        ...{ changedAt: NOW, changedBy: { kind: "member", name: "admin" } },
        after: { bankName: "Karoo Bank", accountName: "Shop", accountNumber: "••••0001" },
      },
    ]);
    const refused = await shop.payOut<Refusal>({ amount: 5 });
    assert.deepEqual([refused.status, refused.body.error], [409, "invalid_state"]);
    assert.match(
      refused.body.message,
      /of FNB cheque were changed on 1 March 2027, 12:00 by admin, .* 2 March 2027, 12:00/,
    );
    const payable = await shop.staff("GET", `/customers/${shop.customerId}/payable-credit`);
    assert.deepEqual([payable.body["amount"], payable.body["heldUntil"]], [25, later(24)]);
    const log = await shop.admin<{ data: { before: object; after: object }[] }>("GET", `/audit-log?subject=${id}`);
    assert.partialDeepStrictEqual(log.body.data[0], {
      before: { bankDetails: { accountNumber: "••••4567" } },
      after: { bankDetails: { accountNumber: "••••0001" }, bankDetailsChanged: ["accountNumber", "branchCode"] },
    });

    await shop.at(6);
    const late = await shop.merchant.addStaff("owner");
    await change({ bankName: "Other Bank" });
    const mails = await shop.mails();
    assert.deepEqual(
      mails.map(({ recipients }) => recipients.includes(late.email)),
      [false, false, true],
    );
    assert.deepEqual([(await shop.hold()).changes.length, (await shop.hold()).heldUntil], [2, later(30)]);
    await shop.at(24);
    assert.deepEqual([(await shop.hold()).changes.length, (await shop.payOut({ amount: 5 })).status], [1, 409]);
    await shop.at(30);
    assert.deepEqual([(await shop.hold()).heldUntil, (await shop.payOut({ amount: 5 })).status], [null, 201]);
    assert.deepEqual((await (await openBank()).hold()).changes, []);
  });

  test("are also those of an account that is removed and added anew, and of one of two that are added at once", async () => {
    const shop = await openBank();
    const { id } = (await shop.add()).body;
    await shop.admin("DELETE", `/gateways/${id}`);
    assert.equal((await shop.hold()).heldUntil, later(24));
    await shop.at(48);
    await shop.add({ credentials: { ...BANK, accountNumber: "4055550001" } });
    const subjects = (await shop.mails()).map(({ subject }) => /were (\w+)$/.exec(subject)?.[1]);
    assert.deepEqual([subjects, (await shop.hold()).heldUntil], [["added", "removed", "added"], later(72)]);
    const fresh = await openBank();
    const added = await Promise.all([fresh.add(), fresh.add(), fresh.add({ type: "sandbox", credentials: {} })]);
    assert.deepEqual(
      added.map(({ status }) => status),
      [201, 201, 201],
    );
    assert.deepEqual([(await fresh.mails()).length, (await fresh.hold()).changes.length], [2, 1]);
  });
});
