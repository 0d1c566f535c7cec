import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { addCard, MASTERCARD, VISA } from "../support/cards.ts";
import { openCollectingShop } from "../support/collected-subscriptions.ts";
import { openSubscriptionShop, type SubscriptionShop } from "../support/customer-subscriptions.ts";
import { addMandate, mandateNow, openMandateShop } from "../support/mandates.ts";
import { buttonsOf, type SignedIn, sealIn, signInToPortal } from "../support/portal.ts";
import { closeVerified } from "../support/verified.ts";

/* What a customer changes in the portal beside the plan: add-ons, the card that pays, the debit order to sign. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

/** A recurring product, in the terms of the shop's plans unless it says otherwise; answers its id. */
async function addProduct({ shop, staff }: SubscriptionShop, fields: object = {}): Promise<string> {
  const product = { name: "Extra seat", amount: 28, taxRate: 15, recurring: { frequency: "monthly" }, ...fields };
  const answer = await staff("POST", "/products", product);
  assert.equal(answer.status, 201, `${shop.organisation.slug} ${answer.text}`);
  return String((answer.body as { id: string }).id);
}

const allow = async (shop: SubscriptionShop, ...addOns: string[]): Promise<void> => {
  const answer = await shop.staff("PATCH", "/settings", { portal: { addOns } });
  assert.equal(answer.status, 200, answer.text);
};

/** Asks for so many of an add-on, then for what was shown. */
async function order(portal: SignedIn, id: string, addOn: string, quantity: string): Promise<string> {
  const page = `/subscriptions/${id}`;
  const offer = await portal.send(page, { action: "preview_add_on", addOn, quantity });
  assert.equal(offer.status, 200, offer.text);
  const done = await portal.send(page, { action: "change", addOn, quantity, seal: sealIn(offer) });
  assert.equal(done.status, 303, done.text);
  return offer.text;
}

const itemsOf = async (shop: SubscriptionShop, id: string): Promise<unknown> =>
  ((await shop.now(id))["items"] as Record<string, unknown>[]).map((one) => [
    one["code"],
    one["description"],
    one["unitAmount"],
    one["quantity"],
  ]);

describe("add-ons", () => {
  test("are added, changed and removed as previewed; what else it has stays", async () => {
    const shop = await openSubscriptionShop(api);
    const seat = await addProduct(shop);
    await allow(shop, seat);
    const items = [
      { kind: "metered", description: "Traffic", unitAmount: 1 },
      { kind: "addon", code: "levy", description: "Levy", unitAmount: 5 },
    ];
    const { id } = await shop.subscribe({ planId: await shop.addPlan(), items });
    await shop.move("2027-02-14T20:00:00Z");
    const portal = await signInToPortal(api, shop.shop, shop.customer);
    const page = await portal.see(`/subscriptions/${id}`);
    assert.match(page.text, /Add-ons.*Extra seat.*R 28\.00 every month, plus VAT/s);
    const before = (await shop.invoices(id)).length;
    // 14 of 28 days of 2 × 28.00, with VAT.
    assert.match(await order(portal, id, seat, "2"), /Add Extra seat.*R 32\.20 is to pay now/s);
    const has = async (...more: unknown[][]) => {
      const levy = ["levy", "Levy", 5, 1];
      assert.deepEqual(await itemsOf(shop, id), [[null, "Traffic", 1, 0], levy, ...more]);
    };
    await has([seat, "Extra seat", 28, 2]);
    const [paid] = await shop.invoices(id);
    assert.deepEqual([(await shop.invoices(id)).length, paid?.["total"]], [before + 1, 32.2]);
    // How the amount of a whole line is made up stands beside it too.
    assert.match((await portal.see(`/subscriptions/${id}`)).text, /You have 2/);
    assert.match((await portal.see(`/subscriptions/${id}`)).text, /R 56\.00\s*2 × R 28\.00/);
    // What the merchant sells it for by now is for those who add it from now on.
    await shop.staff("PATCH", `/products/${seat}`, { amount: 40 });
    assert.match(await order(portal, id, seat, "3"), /3 × Extra seat in place of 2.*R 16\.10 is to pay now/s);
    await has([seat, "Extra seat", 28, 3]);
    assert.match(
      await order(portal, id, seat, "0"),
      /Remove Extra seat.*nothing to pay now.*R 42\.00 is credited to your next bill/s,
    );
    await has();
    assert.match((await portal.see(`/subscriptions/${id}`)).text, /R 40\.00 every month/);
  });

  test("are those of the settings that are billed in the subscription's terms, in whole numbers", async () => {
    const shop = await openSubscriptionShop(api);
    const [seat, yearly, untaxed, inclusive, dollars, off] = await Promise.all([
      addProduct(shop),
      addProduct(shop, { name: "Yearly", recurring: { frequency: "annually" } }),
      addProduct(shop, { name: "Untaxed", taxRate: 0 }),
      addProduct(shop, { name: "Inclusive", taxInclusive: true }),
      addProduct(shop, { name: "Dollars", currency: "USD" }),
      addProduct(shop, { name: "Off", enabled: false }),
    ]);
    const other = await addProduct(shop, { name: "Not listed" });
    const { id } = await shop.subscribe({
      planId: await shop.addPlan(),
      items: [{ kind: "addon", code: "levy", description: "Levy", unitAmount: 5 }],
    });
    const portal = await signInToPortal(api, shop.shop, shop.customer);
    const page = `/subscriptions/${id}`;
    assert.equal(buttonsOf(await portal.see(page)).includes("preview_add_on"), false, "none without a setting");
    await allow(shop, seat, yearly, untaxed, inclusive, dollars, off);
    const shown = await portal.see(page);
    assert.deepEqual(
      buttonsOf(shown).filter((one) => one === "preview_add_on"),
      ["preview_add_on"],
    );
    assert.match(shown.text, /Extra seat/);
    for (const [addOn, quantity] of [
      [yearly, "1"],
      [other, "1"],
      ["levy", "0"],
      [seat, "0"],
      [seat, "1.5"],
      [seat, "-1"],
      [seat, ""],
      [seat, "99999"],
    ] as const)
      assert.equal(
        (await portal.send(page, { action: "preview_add_on", addOn, quantity })).status,
        400,
        `${addOn} ${quantity}`,
      );
    assert.equal(((await shop.now(id))["items"] as unknown[]).length, 1);
  });

  test("wait while a change of the merchant's waits; with them, only plans in the same terms are offered", async () => {
    const shop = await openSubscriptionShop(api);
    const seat = await addProduct(shop);
    await allow(shop, seat);
    const silver = await shop.addPlan({ name: "Silver", amount: 50 });
    await shop.addPlan({ name: "Gold for a year", amount: 900, frequency: "annually" });
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    const portal = await signInToPortal(api, shop.shop, shop.customer);
    const page = `/subscriptions/${id}`;
    assert.match((await portal.see(page)).text, /Gold for a year/);
    await order(portal, id, seat, "1");
    const withSeat = await portal.see(page);
    assert.match(withSeat.text, /Silver/);
    assert.doesNotMatch(withSeat.text, /Gold for a year/);
    await shop.act(id, "change-plan", { planId: silver, proration: "next_renewal" });
    const waiting = await portal.see(page);
    assert.match(waiting.text, /Changes to\s*Silver from 28 February 2027/);
    assert.equal(buttonsOf(waiting).includes("preview_add_on"), false);
    const late = await portal.send(page, { action: "preview_add_on", addOn: seat, quantity: "2" });
    assert.equal(late.status, 403);
  });

  test("of the settings are recurring products, each once", async () => {
    const { shop, staff } = await openSubscriptionShop(api);
    const once = await staff("POST", "/products", { name: "Mug", amount: 90 });
    const recurring = await staff("POST", "/products", {
      name: "Seat",
      amount: 9,
      recurring: { frequency: "monthly" },
    });
    const [mug, seat] = [once, recurring].map(({ body }) => (body as { id: string }).id);
    for (const [addOns, path] of [
      [
        [seat, mug],
        ["portal", "addOns", 1],
      ],
      [["prod_none"], ["portal", "addOns", 0]],
      [
        [seat, seat],
        ["portal", "addOns"],
      ],
    ] as const) {
      const answer = await staff("PATCH", "/settings", { portal: { addOns } });
      assert.equal(answer.status, 400, shop.organisation.slug);
      assert.deepEqual((answer.body as { issues: { path: unknown }[] }).issues[0]?.path, path);
    }
    const kept = await staff("PATCH", "/settings", { portal: { addOns: [seat], changeCard: false } });
    assert.deepEqual((kept.body as { portal: unknown }).portal, {
      changePlan: true,
      addOns: [seat],
      pause: true,
      cancel: true,
      changeCard: false,
    });
  });
});

describe("the card that pays", () => {
  test("is tried at once for what was missed, also when it is not the default", async () => {
    const shop = await openCollectingShop(api);
    const made = await shop.subscribe();
    // A card token error, after which no retry comes between.
    await shop.pay(made, "4000000000009979");
    const other = String((await addCard(shop, MASTERCARD, { body: { makeDefault: false } }))["id"]);
    await shop.move("2027-04-06T12:00:00.000Z");
    assert.equal((await shop.now(made.id)).status, "past_due");
    const portal = await signInToPortal(api, shop.shop, shop.customer);
    const page = `/subscriptions/${made.id}`;
    const twice = [1, 2].map(() => portal.send(page, { action: "card", card: other }));
    assert.deepEqual(
      (await Promise.all(twice)).map(({ status }) => status),
      [303, 303],
    );
    await shop.move("2027-04-06T12:00:01.000Z");
    const { data } = (
      await shop.shop.get<{ data: { cause: string; status: string }[] }>(`/customer-subscriptions/${made.id}/attempts`)
    ).body;
    assert.deepEqual(
      data.map(({ cause, status }) => [cause, status]),
      [
        ["new_card", "pending"],
        ["renewal", "failed"],
      ],
    );
    await shop.move("2027-04-12T12:00:00.000Z");
    assert.deepEqual([(await shop.now(made.id)).status, (await shop.now(made.id)).card?.id], ["active", other]);
  });

  test("is shown and changed", async () => {
    const shop = await openCollectingShop(api);
    const { id, ...first } = await shop.subscribe();
    await shop.pay({ id, ...first }, VISA, { saveCard: "yes" });
    const portal = await signInToPortal(api, shop.shop, shop.customer);
    const page = `/subscriptions/${id}`;
    assert.match((await portal.see(page)).text, /Paid\s*By Visa ending in 4242/);
    assert.equal(buttonsOf(await portal.see(page)).includes("card"), false, "nothing to choose from");
    const other = String((await addCard(shop, MASTERCARD))["id"]);
    assert.ok(buttonsOf(await portal.see(page)).includes("card"));
    assert.equal((await portal.send(page, { action: "card", card: "card_none" })).status, 400);
    assert.equal((await portal.send(page, { action: "card", card: other })).status, 303);
    assert.equal((await shop.now(id)).card?.id, other);
    assert.match((await portal.see(page)).text, /Paid\s*By Mastercard ending in/);
    assert.equal((await shop.told(id)).at(-1), "subscription.updated");
  });
});

describe("debit orders", () => {
  test("are shown, and one that waits for a signature is signed from there", async () => {
    const shop = await openMandateShop(api);
    const portal = await signInToPortal(api, shop.shop, shop.customer);
    assert.doesNotMatch((await portal.see("")).text, /debit orders/);
    assert.match((await portal.see("/debit-orders")).text, /You have no debit orders/);
    const mandate = await addMandate(shop, { description: "Gold" });
    assert.match((await portal.see("")).text, /Your debit orders/);
    const page = await portal.see("/debit-orders");
    for (const text of ["Gold", "Waits for your signature", "R 350.50 every month", "ending in 7701", "25 March 2027"])
      assert.ok(page.text.includes(text), `${text} in ${page.text}`);
    const signing = await portal.send("/debit-orders", { action: "sign", mandate: String(mandate["id"]) });
    assert.equal(signing.status, 303);
    assert.match(signing.location, /\/sign-mandate\/[\w-]+$/);
    const url = new URL(signing.location, api.baseUrl);
    const form = await (await fetch(url)).text();
    const formToken = /name="formToken" value="([^"]+)"/.exec(form)?.[1] ?? "";
    const signed = await fetch(url, {
      method: "POST",
      headers: { origin: api.baseUrl },
      body: new URLSearchParams({ action: "sign", fullName: "Thandi Nkosi", accept: "on", formToken }),
    });
    assert.equal(signed.status, 200);
    assert.equal((await mandateNow(shop, mandate))["status"], "active");
    assert.deepEqual(buttonsOf(await portal.see("/debit-orders")), []);
    const again = await portal.send("/debit-orders", { action: "sign", mandate: String(mandate["id"]) });
    assert.equal(again.status, 409, "nothing is left to sign");
  });

  test("are the customer's own", async () => {
    const shop = await openMandateShop(api);
    const theirs = await addMandate(shop);
    const other = await shop.shop.post<{ id: string }>("/customers", { email: "other@example.co.za" });
    await addMandate(shop, { customerId: other.body.id, description: "Other" });
    const stranger = await signInToPortal(api, shop.shop, other.body.id);
    assert.match((await stranger.see("/debit-orders")).text, /Other/);
    const refused = await stranger.send("/debit-orders", { action: "sign", mandate: String(theirs["id"]) });
    assert.equal(refused.status, 404);
    const signedOut = await fetch(`${api.baseUrl}${stranger.path}/debit-orders`, { redirect: "manual" });
    assert.deepEqual([signedOut.status, signedOut.headers.get("location")], [303, stranger.path]);
  });
});
