import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { toTimestamp } from "../../src/kernel/time.ts";
import { openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { type Invoicing, openInvoicing } from "../support/invoices.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

/** A merchant whose clock stands at noon of 1 March 2027, with reminders 3 days before and 1 and 7 days after. */
async function open(): Promise<Invoicing & { staff: StaffCall; moveTo(now: string): Promise<Record<string, number>> }> {
  const shop = await openInvoicing(api);
  const staff = await shop.merchant.signIn();
  await staff("PATCH", "/settings", { invoiceReminders: { daysBefore: [3], daysAfter: [1, 7] } });
  const moveTo = async (now: string) => {
    const { status, body, text } = await staff<{ ran: Record<string, number> }>("POST", "/test-clock", { now });
    assert.equal(status, 200, text);
    return body.ran;
  };
  return { ...shop, staff, moveTo };
}

const standings = async (shop: Invoicing) =>
  (await shop.eventsOf(shop.customerId))
    .filter(({ type }) => type === "customer.standing.changed")
    .map(({ data }) => [data["previousStatus"], data.status, data["balance"], data["overdueAmount"]]);

describe("overdue", () => {
  test("from South African midnight after the due date, and not before", async () => {
    const shop = await open();
    const { id } = await shop.owe(100, { dueDate: "2027-03-10" });
    await shop.moveTo("2027-03-10T21:59:59.999Z");
    assert.equal((await shop.show(id)).status, "sent");
    const ran = await shop.moveTo("2027-03-10T22:00:00.000Z");
    assert.equal(ran["invoice.overdue"], 1);
    const { status, updatedAt } = await shop.show(id);
    assert.deepEqual([status, updatedAt], ["overdue", "2027-03-10T22:00:00.000Z"]);
    const { overdueAmount, oldestOverdueAt, balance } = await shop.standing();
    assert.deepEqual([overdueAmount, oldestOverdueAt, balance], [100, "2027-03-10", 100]);
    const late = (await shop.eventsOf(id)).filter(({ type }) => type === "invoice.overdue");
    assert.deepEqual(late, [{ type: "invoice.overdue", data: await shop.show(id) }]);
  });

  test("a draft never becomes overdue; a partly paid invoice keeps its status, and its customer becomes overdue", async () => {
    const shop = await open();
    const { body: draft } = await shop.create({ dueDate: "2027-03-10" });
    const { id } = await shop.owe(100, { dueDate: "2027-03-10" });
    await shop.payOffline(id, 40);
    await shop.moveTo("2027-03-12T10:00:00Z");
    assert.deepEqual([(await shop.show(draft.id)).status, (await shop.show(id)).status], ["draft", "partially_paid"]);
    assert.deepEqual((await shop.standing())["status"], "overdue");
    assert.deepEqual(
      (await shop.eventsOf(id)).map(({ type, data }) => [type, data.status]),
      [
        ["invoice.sent", "sent"],
        ["invoice.partially_paid", "partially_paid"],
        ["invoice.overdue", "partially_paid"],
      ],
    );
    assert.equal((await shop.act(draft.id, "send")).body.status, "sent");
    await shop.moveTo("2027-03-12T10:00:01Z");
    assert.equal((await shop.show(draft.id)).status, "overdue", "it was late when it was sent");
    assert.equal((await shop.act(draft.id, "send")).body.status, "overdue", "sending leaves it so (interface 3.3)");
  });

  test("each change of the standing has one event: owing, overdue, owing, good", async () => {
    const shop = await open();
    const first = await shop.owe(100, { dueDate: "2027-03-10" });
    const second = await shop.owe(50, { dueDate: "2027-03-20" });
    await shop.moveTo("2027-03-11T10:00:00Z");
    await shop.payOffline(first.id, 30);
    await shop.payOnline(first.id, 70);
    await shop.payOffline(second.id, 50);
    assert.deepEqual(await standings(shop), [
      ["good", "owing", 100, 0],
      ["owing", "overdue", 150, 100],
      ["overdue", "owing", 50, 0],
      ["owing", "good", 0, 0],
    ]);
  });

  test("cancelling and a credit note change it too", async () => {
    const shop = await open();
    const { id } = await shop.owe(100);
    await shop.act(id, "cancel");
    await shop.owe(60);
    const credit = { customerId: shop.customerId, amount: 60, reason: "Sorry" };
    assert.equal((await shop.staff("POST", "/credit-notes", credit)).status, 201);
    assert.deepEqual(
      (await standings(shop)).map(([, status]) => status),
      ["owing", "good", "owing", "good"],
    );
  });
});

describe("reminders", () => {
  const DAYS = ["2027-03-11", "2027-03-15", "2027-03-21"];
  const kindsAndDays = async (shop: Invoicing, number: string) =>
    (await shop.mailsOf(number))
      .filter(({ kind }) => kind === "invoice_reminder")
      .map(({ subject, createdAt }) => [subject.split(":")[1]?.trim(), toTimestamp(createdAt)]);

  test("3 days before, 1 and 7 days after, at 08:00, once each, with the page of the balance", async () => {
    const shop = await open();
    const { number, payUrl } = await shop.owe(100, { dueDate: "2027-03-14" });
    await shop.moveTo("2027-06-01T10:00:00Z");
    assert.deepEqual(await kindsAndDays(shop, number), [
      ["Reminder", `${DAYS[0]}T06:00:00.000Z`],
      ["Overdue", `${DAYS[1]}T06:00:00.000Z`],
      ["Overdue", `${DAYS[2]}T06:00:00.000Z`],
    ]);
    for (const { text } of await shop.mailsOf(number)) assert.ok(text.includes(payUrl ?? ""));
  });

  test("one step at a time gives the same", async () => {
    const shop = await open();
    const { number } = await shop.owe(100, { dueDate: "2027-03-14" });
    for (let day = 2; day <= 30; day++) await shop.moveTo(`2027-03-${String(day).padStart(2, "0")}T06:00:00Z`);
    assert.equal((await kindsAndDays(shop, number)).length, 3);
  });

  for (const [name, end] of [
    ["payment", (shop: Invoicing, id: string) => shop.payOffline(id, 100)],
    ["cancellation", (shop: Invoicing, id: string) => shop.act(id, "cancel")],
  ] as const)
    test(`none after ${name}`, async () => {
      const shop = await open();
      const { id, number } = await shop.owe(100, { dueDate: "2027-03-14" });
      await shop.moveTo("2027-03-12T10:00:00Z");
      await end(shop, id);
      const ran = await shop.moveTo("2027-06-01T10:00:00Z");
      assert.equal((await kindsAndDays(shop, number)).length, 1);
      assert.deepEqual([ran["invoice.remind"], ran["invoice.overdue"]], [undefined, undefined]);
    });

  test("of what is left after a part payment; none for a draft, or where settings say none", async () => {
    const shop = await open();
    const part = await shop.owe(100, { dueDate: "2027-03-14" });
    await shop.payOffline(part.id, 40);
    const { body: draft } = await shop.create({ dueDate: "2027-03-14" });
    await shop.moveTo("2027-03-12T10:00:00Z");
    assert.match((await shop.mailsOf(part.number)).at(-1)?.text ?? "", /60\.00/);
    assert.deepEqual(await kindsAndDays(shop, draft.number), []);
    await shop.staff("PATCH", "/settings", { invoiceReminders: { daysBefore: [], daysAfter: [] } });
    const silent = await shop.owe(100, { dueDate: "2027-03-14" });
    await shop.moveTo("2027-06-01T10:00:00Z");
    assert.deepEqual(await kindsAndDays(shop, silent.number), []);
  });

  test("go by the settings of their day, not of the day it was sent", async () => {
    const shop = await open();
    const { number } = await shop.owe(100, { dueDate: "2027-03-14" });
    const set = (daysBefore: number[], daysAfter: number[]) =>
      shop.staff("PATCH", "/settings", { invoiceReminders: { daysBefore, daysAfter } });
    await set([], [2, 7]);
    await shop.moveTo("2027-03-18T10:00:00Z");
    assert.deepEqual(await kindsAndDays(shop, number), [["Overdue", "2027-03-16T06:00:00.000Z"]]);
    await set([], []);
    await shop.moveTo("2027-06-01T10:00:00Z");
    assert.equal((await kindsAndDays(shop, number)).length, 1);
  });
});
