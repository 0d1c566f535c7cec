import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Answer, openApi, type TestApi } from "../../../../test/support/api.ts";
import {
  AMEX,
  addCard,
  addCardCustomer,
  type CardShop,
  openCardShop,
  openPage,
  type Shown,
} from "../../../../test/support/cards.ts";
import { mailsOf } from "../../../../test/support/mails.ts";
import { faultsOf } from "../../../../test/support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => api.close());

const pathOf = (url: unknown): string => new URL(String(url), "http://none").pathname;
const press = (path: string, fields: Readonly<Record<string, string>>) =>
  api.call<string>("POST", path, {
    body: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", origin: api.baseUrl },
  });
const cardsOn = async (url: unknown): Promise<string[]> => {
  const { text } = await openPage(api, String(url));
  return [...text.matchAll(/<input type="radio" name="card" value="([^"]+)"/g)].map(([, id]) => id ?? "");
};
const locationOf = ({ headers }: Answer<unknown>): string => String(headers.location);

async function linkOf({ shop, customer }: CardShop, body: object = {}, key = shop.key): Promise<Shown> {
  const link = { title: "Deposit", amount: 250, customerId: customer, externalReference: "order-7", ...body };
  const answer = await shop.post<Shown>("/payment-links", link, { key });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** A shop with a card, whose second key may charge saved cards. */
async function openPayShop(): Promise<
  CardShop & { readonly key: string; readonly keyId: string; readonly card: string }
> {
  const shop = await openCardShop(api);
  const { key, id } = await shop.shop.addKey(["charge_saved_cards"]);
  return { ...shop, key, keyId: id, card: String((await addCard(shop))["id"]) };
}

/** Chooses the card on the pay page and confirms the amount; returns the payment's reference. */
async function payByCard(url: unknown, card: string, fields: Readonly<Record<string, string>> = {}): Promise<string> {
  const chosen = await press(pathOf(url), { action: "pay_card", card, ...fields });
  assert.equal(chosen.status, 303, chosen.text);
  const page = await openPage(api, locationOf(chosen));
  assert.equal(page.status, 200);
  const amount = /name="amount" value="([^"]+)"/.exec(page.text)?.[1] ?? "";
  const confirmed = await press(locationOf(chosen), { action: "confirm", amount });
  assert.equal(confirmed.status, 303, confirmed.text);
  const [, reference] = /\/result\/(TEFOC-[0-9a-f]{16}-1)$/.exec(locationOf(confirmed)) ?? [];
  return reference ?? assert.fail(locationOf(confirmed));
}

const ON_DAY = "2027-03-02T22:00:00.000Z";

describe("saved cards on a pay page", () => {
  test("a link: the payer confirms the amount, the result shows that it is pending, and it settles", async () => {
    const shop = await openPayShop();
    const link = await linkOf(shop, { metadata: { seat: "7" } }, shop.key);
    assert.deepEqual(await cardsOn(link["url"]), [shop.card]);
    const chosen = await press(pathOf(link["url"]), { action: "pay_card", card: shop.card });
    const confirm = await openPage(api, locationOf(chosen));
    assert.match(confirm.text, /<h1[^>]*>Confirm the payment<\/h1>/);
    assert.match(confirm.text, /R\u00a0250\.00/);
    assert.match(confirm.text, /Visa ending in 4242/);
    const reference = await payByCard(link["url"], shop.card);
    const result = await openPage(api, `${pathOf(link["url"])}/result/${reference}`);
    assert.match(result.text, /<h1[^>]*>Payment under way<\/h1>/);
    const pending = {
      type: "card_debit",
      status: "pending",
      amount: 250,
      externalReference: "order-7",
      metadata: { seat: "7" },
    };
    const shown = async () => (await shop.shop.get(`/transactions/${reference}`)).body;
    assert.partialDeepStrictEqual(await shown(), { ...pending, paymentLinkId: link["id"] });
    await shop.move(ON_DAY);
    assert.equal((await shown())["status"], "complete");
    assert.equal((await shop.shop.get(`/payment-links/${link["id"]}`)).body["active"], false);
    assert.deepEqual(await faultsOf(api, shop.shop.organisation), []);
  });

  test("an invoice: a part of it is paid, and then the rest", async () => {
    const shop = await openPayShop();
    const lines = [{ description: "Atlas", quantity: 1, unitPrice: 200, taxRate: 0 }];
    const made = await shop.shop.post("/invoices", { customerId: shop.customer, lines, send: true }, { key: shop.key });
    const { id, payUrl } = made.body;
    const first = await payByCard(payUrl, shop.card, { amount: "R 80,50" });
    const page = await openPage(api, String(payUrl));
    assert.match(page.text, /being paid by saved card already/);
    assert.match(page.text, new RegExp(first));
    assert.deepEqual(await cardsOn(payUrl), [], "one at a time");
    await shop.move(ON_DAY);
    const invoice = async () => (await shop.shop.get(`/invoices/${id}`)).body;
    assert.partialDeepStrictEqual(await invoice(), { status: "partially_paid", amountPaid: 81.5 });
    const second = await payByCard(payUrl, shop.card);
    // The set-up's 1.00 was credited on it.
    assert.equal((await shop.shop.get(`/transactions/${second}`)).body["amount"], 118.5);
    await shop.move("2027-03-09T22:00:00.000Z");
    assert.partialDeepStrictEqual(await invoice(), { status: "paid", amountPaid: 200 });
    assert.deepEqual(await faultsOf(api, shop.shop.organisation), []);
  });

  test("are not offered to others: on links of anybody and of another customer, above a million, and cards that cannot be charged", async () => {
    const shop = await openPayShop();
    const other = await addCardCustomer(shop.shop);
    const nobody = { customerId: undefined };
    for (const body of [nobody, { customerId: other }, { amount: 1_000_000.01 }])
      assert.deepEqual(await cardsOn((await linkOf(shop, body, shop.key))["url"]), [], JSON.stringify(body));
    assert.deepEqual(await cardsOn((await linkOf(shop, { amount: 1_000_000 }, shop.key))["url"]), [shop.card]);
    await addCard(shop, AMEX);
    const { url } = await linkOf(shop, {}, shop.key);
    assert.deepEqual(await cardsOn(url), [shop.card]);
    const foreign = await press(pathOf((await linkOf(shop, nobody, shop.key))["url"]), {
      action: "pay_card",
      card: shop.card,
    });
    assert.equal(foreign.status, 400);
    await shop.shop.call("DELETE", `/customers/${shop.customer}/cards/${shop.card}`);
    assert.deepEqual(await cardsOn(url), []);
  });

  test("links of a key offer them while the key may charge saved cards; withdrawing the permission has effect at once, also for an open page", async () => {
    const shop = await openPayShop();
    assert.deepEqual(await cardsOn((await linkOf(shop))["url"]), [], "a key without the permission");
    const ofStaff = await shop.staff<Shown>("POST", "/payment-links", {
      title: "Staff",
      amount: 10,
      customerId: shop.customer,
    });
    assert.deepEqual(await cardsOn(ofStaff.body["url"]), [shop.card]);
    const { url } = await linkOf(shop, {}, shop.key);
    const chosen = await press(pathOf(url), { action: "pay_card", card: shop.card });
    const grant = (permissions: string[]) => shop.staff("PATCH", `/api-keys/${shop.keyId}`, { permissions });
    assert.equal((await grant([])).status, 200);
    assert.deepEqual(await cardsOn(url), []);
    assert.match((await openPage(api, locationOf(chosen))).text, /cannot be used here now/);
    const late = await press(locationOf(chosen), { action: "confirm", amount: "250.00" });
    assert.match(late.text, /cannot be used here now/);
    assert.equal((await press(pathOf(url), { action: "pay_card", card: shop.card })).status, 400);
    await grant(["charge_saved_cards"]);
    assert.deepEqual(await cardsOn(url), [shop.card]);
    assert.equal((await shop.staff("DELETE", `/api-keys/${shop.keyId}`)).status, 200);
    assert.deepEqual(await cardsOn(url), [], "a revoked key may do nothing");
    const rows = await api.query("select from card_charges where organisation_id = $1", shop.shop.organisation.id);
    assert.equal(rows.length, 0);
  });

  test("who may charge is decided by the session or the issuer, whatever address the payer came by", async () => {
    const shop = await openPayShop();
    const customer = shop.customer;
    const support = await shop.shop.signIn("support");
    const owned = await shop.staff<Shown>("POST", "/payment-links", {
      title: "Owner",
      amount: 10,
      customerId: customer,
    });
    const supported = await support<Shown>("POST", "/payment-links", {
      title: "Support",
      amount: 10,
      customerId: customer,
    });
    const sold = await shop.staff<Shown>("POST", "/packages", { name: "Atlas" });
    const plan = { name: "Monthly", amount: 200, frequency: "monthly" };
    const { id: planId } = (await shop.staff<Shown>("POST", `/packages/${sold.body["id"]}/plans`, plan)).body;
    const body = { customer: { id: customer }, planId, collectionMethod: "invoice" };
    const subscribed = await shop.shop.post("/customer-subscriptions", body);
    assert.equal(subscribed.status, 201, subscribed.text);
    await shop.move("2027-04-02T10:00:00.000Z");
    const [renewed] = (await shop.shop.get<{ data: Shown[] }>("/invoices")).body.data;
    const pages = { owned: owned.body["url"], supported: supported.body["url"], renewed: renewed?.["payUrl"] };

    /** The session's cookie, after signing in by a link that `call` got. */
    const sessionBy = async (url: string) => {
      const signedIn = await press(pathOf(url), { action: "sign_in" });
      assert.equal(signedIn.status, 303, signedIn.text);
      const cookies = [signedIn.headers["set-cookie"] ?? []].flat();
      assert.ok(cookies.some((cookie) => cookie.includes("Path=/pay;")));
      return cookies[0]?.split(";")[0] ?? assert.fail();
    };
    const sessionOf = async (call: (path: string, body: object) => Promise<Answer<{ url: string }>>, email: boolean) =>
      sessionBy((await call(`/customers/${customer}/portal-link`, { email })).body.url);
    const mailedLink = async () => {
      const [mail] = await mailsOf(api.services, shop.shop.organisation, { kind: "portal_link" });
      return /http\S+\/sign-in\/\S+/.exec(mail?.text ?? "")?.[0] ?? assert.fail(mail?.text);
    };
    const byKey = (key: string) => (path: string, body: object) => shop.shop.post<{ url: string }>(path, body, { key });
    const sessions = {
      nobody: undefined,
      // A caller who may not charge cards gets another link than the mail has.
      answered: await sessionOf(byKey(shop.shop.key), true),
      mailed: await sessionBy(await mailedLink()),
      key: await sessionOf(byKey(shop.shop.key), false),
      permittedKey: await sessionOf(byKey(shop.key), false),
      support: await sessionOf((path, body) => support("POST", path, body), false),
      owner: await sessionOf((path, body) => shop.staff("POST", path, body), false),
    };
    const offered = async (session: string | undefined, url: unknown, query = ""): Promise<string[]> => {
      const page = await api.call<string>("GET", `${pathOf(url)}${query}`, {
        headers: session ? { cookie: session } : {},
      });
      assert.equal(page.status, 200);
      return [...page.text.matchAll(/<input type="radio" name="card" value="([^"]+)"/g)].map(([, id]) => id ?? "");
    };
    const expected: Record<keyof typeof sessions, Record<keyof typeof pages, boolean>> = {
      nobody: { owned: true, supported: false, renewed: false },
      answered: { owned: false, supported: false, renewed: false },
      mailed: { owned: true, supported: true, renewed: true },
      key: { owned: false, supported: false, renewed: false },
      permittedKey: { owned: true, supported: true, renewed: true },
      support: { owned: false, supported: false, renewed: false },
      owner: { owned: true, supported: true, renewed: true },
    };
    for (const [who, cells] of Object.entries(expected))
      for (const [page, offers] of Object.entries(cells)) {
        const session = sessions[who as keyof typeof sessions];
        const url = pages[page as keyof typeof pages];
        assert.deepEqual(await offered(session, url), offers ? [shop.card] : [], `${who} on ${page}`);
        const query = `?signedInBy=${shop.keyId}`;
        assert.deepEqual(await offered(session, url, query), offers ? [shop.card] : [], `${who} on ${page}${query}`);
      }

    const portal = await api.call<string>("GET", `/portal/${shop.shop.organisation.slug}`, {
      headers: { cookie: sessions.permittedKey },
    });
    assert.match(portal.text, /href="[^"?]*\/pay\/[^"?]+"/);
    assert.match((await openPage(api, String(pages.supported))).text, /Sign in to pay with a saved card/);
    const card = `${pathOf(pages.supported)}/card/${shop.card}`;
    const confirm = (cookie: string) =>
      api.call<string>("POST", card, {
        body: new URLSearchParams({ action: "confirm", amount: "10.00" }).toString(),
        headers: { "content-type": "application/x-www-form-urlencoded", origin: api.baseUrl, cookie },
      });
    assert.match((await confirm(sessions.support)).text, /cannot be used here now/);
    await shop.staff("PATCH", `/api-keys/${shop.keyId}`, { permissions: [] });
    assert.match(
      (await confirm(sessions.permittedKey)).text,
      /cannot be used here now/,
      "the present permission counts",
    );
    assert.match(locationOf(await confirm(sessions.mailed)), /\/result\/TEFOC-/);
  });

  test("another amount than the confirmed one is not charged", async () => {
    const shop = await openPayShop();
    const { url } = await linkOf(shop, {}, shop.key);
    const path = `${pathOf(url)}/card/${shop.card}`;
    for (const amount of ["2.50", "250.01", "x"]) {
      const answer = await press(path, { action: "confirm", amount });
      assert.equal(answer.status, 409, amount);
      assert.match(answer.text, /The amount has changed/);
    }
  });

  test("20 submissions of one confirmation at once charge the card once", async () => {
    const shop = await openPayShop();
    for (const singleUse of [true, false]) {
      const { url } = await linkOf(shop, { singleUse }, shop.key);
      const path = `${pathOf(url)}/card/${shop.card}`;
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => press(path, { action: "confirm", amount: "250.00" })),
      );
      assert.equal(new Set(answers.map(locationOf)).size, 1);
      assert.match(locationOf(answers[0] ?? assert.fail()), /\/result\/TEFOC-/);
    }
  });

  test("pages and the API together take ten a day", async () => {
    const shop = await openPayShop();
    for (let n = 0; n < 9; n++) {
      const body = { amount: 1, description: "Membership", externalReference: `C-${n}` };
      const answer = await shop.shop.post(`/customers/${shop.customer}/cards/default/charges`, body, { key: shop.key });
      assert.equal(answer.status, 201);
    }
    const pay = async () => {
      const { url } = await linkOf(shop, {}, shop.key);
      return press(`${pathOf(url)}/card/${shop.card}`, { action: "confirm", amount: "250.00" });
    };
    assert.equal((await pay()).status, 303);
    const refused = await pay();
    assert.equal(refused.status, 429);
    assert.match(refused.text, /10 times a day/);
  });

  test("a charge is not cancelled by its payer", async () => {
    const shop = await openPayShop();
    const { url } = await linkOf(shop, {}, shop.key);
    const reference = await payByCard(url, shop.card);
    assert.match((await openPage(api, `${pathOf(url)}/cancel/${reference}`)).text, /Payment under way/);
    assert.equal((await shop.shop.get(`/transactions/${reference}`)).body["status"], "pending");
  });
});
