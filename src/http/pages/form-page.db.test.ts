import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { addSavedCard } from "../../../test/support/charged-cards.ts";
import { callAs } from "../../../test/support/clocked-merchant.ts";
import { addTransfers } from "../../../test/support/eft.ts";
import {
  cookiesSetBy,
  formTokenIn,
  openPages,
  type PageAnswer,
  type PageMerchant,
  pressSignIn,
  type TestPages,
} from "../../../test/support/pages.ts";
import { stopClock } from "../../../test/support/still-clock.ts";
import { formOf, pdfOf } from "../../../test/support/uploads.ts";
import { createCardSetup } from "../../flows/card-setups/create-card-setup.ts";
import { createSubscription } from "../../flows/customer-subscriptions/create-subscription.ts";
import { createCustomer, upsertCustomer } from "../../flows/customers/save-customer.ts";
import { notifyUrlOf } from "../../flows/gateways/accounts.ts";
import { hostedUrl } from "../../flows/hosted-links.ts";
import { recordMandate } from "../../flows/mandates/create-mandate.ts";
import { issueAgreement } from "../../flows/mandates/issue-agreement.ts";
import { createPackage } from "../../flows/packages/save-package.ts";
import { createPlan } from "../../flows/packages/save-plan.ts";
import { issuePortalLink } from "../../flows/portal-access/issue-portal-link.ts";
import { createQuote } from "../../flows/quotes/create-quote.ts";
import { sandbox } from "../../gateways/sandbox/adapter.ts";
import type { CustomerId, MandateId } from "../../kernel/ids.ts";
import { cents } from "../../kernel/money.ts";
import { calendarDay } from "../../kernel/time.ts";
import { CARD_PAGE } from "../../modules/card-setups/declarations.ts";
import { CardSetupCreate } from "../../modules/card-setups/schema.ts";
import { CustomerSubscriptionCreate } from "../../modules/customer-subscriptions/schema/subscriptions.ts";
import { MandateCreate } from "../../modules/mandates/schema.ts";
import { lockMandate } from "../../modules/mandates/store.ts";
import { PackageCreate, PlanCreate } from "../../modules/packages/schema.ts";
import { QUOTE_PAGE } from "../../modules/quotes/declarations.ts";
import { QuoteCreate } from "../../modules/quotes/schema.ts";
import type { Tx } from "../../platform/database.ts";

/* Every page that `formPage` serves checks submissions in the same order. */

let pages: TestPages;
before(async () => {
  pages = await openPages();
});
after(() => pages.close());

type Fields = Readonly<Record<string, string>>;

/** A page that accepts its form. */
interface Opened {
  readonly path: string;
  readonly cookie?: string;
  /** Path of the page that contains the token; default: the form's path. */
  readonly tokenAt?: string;
  readonly good: Fields;
  readonly wrong?: Fields;
  /** The status of the response to a valid submission. */
  readonly status: 200 | 303;
  /** The path with one letter changed. */
  readonly tampered: string;
}

const tamper = (path: string): string =>
  path.replace(/[^/]+$/, (token) => (token.startsWith("A") ? "B" : "A") + token.slice(1));

async function openQuote(shop: PageMerchant): Promise<string> {
  const ctx = await shop.ctx();
  const { db } = pages.services;
  const { id } = shop.organisation;
  const customer = await db.transaction(id, (tx) => createCustomer(tx, ctx, { firstName: "Thandi" }));
  const lineItems = [{ description: "Shelves", quantity: 1, unitPrice: 100 }];
  const body = QuoteCreate.parse({ customerId: customer.id, lineItems, send: true });
  const quote = await db.transaction(id, (tx) => createQuote(tx, ctx, body));
  return new URL(hostedUrl(ctx, QUOTE_PAGE, quote.id)).pathname;
}

/** The path of a sign-in link, by default of a new customer. */
async function openSignInLink(shop: PageMerchant, known?: CustomerId): Promise<string> {
  const ctx = await shop.ctx();
  const link = await pages.services.db.transaction(shop.organisation.id, async (tx) => {
    const details = { email: "thandi@example.co.za", firstName: "Thandi" };
    const id = known ?? (await upsertCustomer(tx, ctx, details)).customer.id;
    return issuePortalLink(tx, ctx, id, { email: false });
  });
  return new URL(link?.url ?? assert.fail("a link")).pathname;
}

/** Adds a mandate that is to be signed to the customer of `openSignInLink`; returns its id. */
async function addMandate(shop: PageMerchant): Promise<MandateId> {
  const ctx = await shop.ctx();
  const { db } = pages.services;
  const { id } = shop.organisation;
  const asked = { email: "thandi@example.co.za", externalReference: "T1" };
  const { customer } = await db.transaction(id, (tx) => upsertCustomer(tx, ctx, asked));
  const bank = { branchCode: "250655", accountNumber: "62900417701", accountHolder: "T Nkosi" };
  const body = MandateCreate.parse({ customerId: customer.id, bank, amount: 100, description: "Fees" });
  const { intent } = await db.transaction(id, (tx) => recordMandate(tx, ctx, body));
  return intent;
}

async function openAgreement(shop: PageMerchant): Promise<string> {
  const ctx = await shop.ctx();
  const { db } = pages.services;
  const { id } = shop.organisation;
  const intent = await addMandate(shop);
  const { signUrl } = await db.transaction(id, async (tx) => {
    const mandate = (await lockMandate(tx, intent)) ?? assert.fail("a mandate");
    return issueAgreement(tx, ctx, mandate, { email: false, notes: null });
  });
  return new URL(signUrl).pathname;
}

/** The page of the sandbox gateway on which an electronic mandate is signed. */
async function openEMandate(shop: PageMerchant): Promise<string> {
  const request = {
    accountReference: "DO0123456789",
    amount: cents(25_000),
    amountVaries: false,
    frequency: "monthly",
    debitDay: 31,
    startDate: calendarDay((await shop.ctx()).now),
    description: "School fees",
    payer: { email: null, firstName: "Thandi", lastName: "Nkosi", phone: null },
    idNumber: "8001015009087",
    bank: { holder: "T Nkosi", number: "62123456700", branchCode: "250655", type: "current" },
    notifyUrl: notifyUrlOf(pages.services, shop.gateway),
  } as const;
  const made = await sandbox.eMandates?.create(request, await callAs(pages, shop));
  return made?.kind === "created" ? new URL(made.signUrl).pathname : assert.fail("a mandate");
}

async function openSetup(shop: PageMerchant): Promise<string> {
  const ctx = await shop.ctx();
  const setup = await pages.services.db.transaction(shop.organisation.id, async (tx) => {
    const customer = await createCustomer(tx, ctx, { firstName: "Thandi", email: "thandi@example.co.za" });
    return createCardSetup(tx, ctx, customer.id, CardSetupCreate.parse({}));
  });
  return new URL(hostedUrl(ctx, CARD_PAGE, setup.id)).pathname;
}

/** Subscribes the customer of `openSignInLink` to a plan; returns the id of the subscription. */
async function subscribe(shop: PageMerchant): Promise<string> {
  const ctx = await shop.ctx();
  const write = <T>(work: (tx: Tx) => Promise<T>) => pages.services.db.transaction(shop.organisation.id, work);
  const { customer } = await write((tx) =>
    upsertCustomer(tx, ctx, { email: "thandi@example.co.za", externalReference: "T1" }),
  );
  const parent = await write(async (tx) => createPackage(tx, ctx, PackageCreate.parse({ name: "Hosting" })));
  const asked = PlanCreate.parse({ name: "Gold", amount: 100, frequency: "monthly" });
  const plan = await write((tx) => createPlan(tx, ctx, parent.id, asked));
  const body = { customer: { id: customer.id }, planId: plan.id, collectionMethod: "invoice" };
  const created = await write((tx) => createSubscription(tx, ctx, CustomerSubscriptionCreate.parse(body)));
  return created.subscription.id;
}

/** Signs the customer in to the portal; returns the cookie. */
async function signIn(shop: PageMerchant, customer?: CustomerId): Promise<string> {
  const signedIn = await pressSignIn(pages, await openSignInLink(shop, customer));
  return signedIn.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
}

/** Every declared page, with the refusals that apply to it. */
const DECLARED: Readonly<
  Record<string, { open: (shop: PageMerchant) => Promise<Opened>; limited?: false; closes?: true; file?: true }>
> = {
  "pay/routes.ts PAGE": {
    closes: true,
    open: async (shop) => {
      const { path } = await shop.addLink();
      return { path, tampered: tamper(path), good: { gateway: shop.gateway.id }, wrong: { gateway: "x" }, status: 303 };
    },
  },
  "pay/card-page.ts CARD_PAGE": {
    closes: true,
    open: async (shop) => {
      const { customer, card } = await addSavedCard(
        pages.services,
        await shop.ctx(),
        shop.gateway,
        "thandi@example.co.za",
      );
      const { path: link } = await shop.addLink({ customerId: customer.id });
      const path = `${link}/card/${card.id}`;
      const tampered = `${tamper(link)}/card/${card.id}`;
      const cookie = await signIn(shop, customer.id);
      return { path, cookie, tampered, good: { action: "confirm" }, wrong: { action: "x" }, status: 303 };
    },
  },
  "card/routes.ts PAGE": {
    closes: true,
    open: async (shop) => {
      const path = await openSetup(shop);
      return { path, tampered: tamper(path), good: { gateway: shop.gateway.id }, wrong: { gateway: "x" }, status: 303 };
    },
  },
  "sign-mandate/routes.ts PAGE": {
    closes: true,
    open: async (shop) => {
      const path = await openAgreement(shop);
      const good = { action: "sign", fullName: "Thandi Nkosi", accept: "yes" };
      return { path, tampered: tamper(path), good, wrong: { action: "sign" }, status: 303 };
    },
  },
  "portal/cards.ts cardRoutes": {
    open: async (shop) => {
      const home = `/portal/${shop.organisation.slug}`;
      const cookie = await signIn(shop);
      return {
        path: `${home}/cards`,
        cookie,
        tampered: `${home}x/cards`,
        good: { action: "add" },
        wrong: { action: "x" },
        status: 303,
      };
    },
  },
  "portal/mandates.ts mandateRoutes": {
    open: async (shop) => {
      const home = `/portal/${shop.organisation.slug}`;
      const cookie = await signIn(shop);
      const mandate = await addMandate(shop);
      return {
        path: `${home}/debit-orders`,
        cookie,
        tampered: `${home}x/debit-orders`,
        good: { action: "sign", mandate },
        wrong: { action: "x" },
        status: 303,
      };
    },
  },
  "portal/subscriptions.ts subscriptionRoutes": {
    open: async (shop) => {
      const home = `/portal/${shop.organisation.slug}`;
      const cookie = await signIn(shop);
      const path = `${home}/subscriptions/${await subscribe(shop)}`;
      return {
        path,
        cookie,
        tampered: tamper(path),
        good: { action: "pause" },
        wrong: { action: "x" },
        status: 303,
      };
    },
  },
  "sandbox-gateway/mandate-page.ts MANDATE_PAGE": {
    limited: false,
    open: async (shop) => {
      const path = await openEMandate(shop);
      return { path, tampered: tamper(path), good: { outcome: "complete" }, wrong: { outcome: "x" }, status: 303 };
    },
  },
  "sandbox-gateway/routes.ts PAYMENT_PAGE": {
    limited: false,
    open: async (shop) => {
      const { gatewayPath: path } = await shop.start((await shop.addLink()).path);
      return { path, tampered: tamper(path), good: { outcome: "complete" }, wrong: { outcome: "x" }, status: 303 };
    },
  },
  "quote/routes.ts PAGE": {
    closes: true,
    open: async (shop) => {
      const path = await openQuote(shop);
      return { path, tampered: tamper(path), good: { action: "accept" }, wrong: { action: "x" }, status: 303 };
    },
  },
  "eft/routes.ts PAGE": {
    closes: true,
    file: true,
    open: async (shop) => {
      const { id } = await addTransfers(shop);
      const { location: path } = await pages.post((await shop.addLink()).path, { gateway: id });
      return { path, tampered: tamper(path), good: { file: "a.pdf" }, wrong: { file: "a.exe" }, status: 303 };
    },
  },
  "portal/routes.ts HOME": {
    open: async ({ organisation: { slug } }) => ({
      path: `/portal/${slug}`,
      tampered: `/portal/${slug}x`,
      good: { email: "nobody@example.co.za" },
      wrong: { email: "nobody" },
      status: 200,
    }),
  },
  "portal/routes.ts LINK": {
    open: async (shop) => {
      const path = await openSignInLink(shop);
      return { path, tampered: tamper(path), good: { action: "sign_in" }, wrong: { action: "x" }, status: 303 };
    },
  },
  "portal/routes.ts SIGN_OUT": {
    limited: false,
    open: async (shop) => {
      const home = `/portal/${shop.organisation.slug}`;
      const cookie = await signIn(shop);
      return { path: `${home}/sign-out`, tokenAt: home, cookie, tampered: `${home}x/sign-out`, good: {}, status: 303 };
    },
  },
};

test("every declared form page is walked below", () => {
  // A small resource declares its page beside its endpoints, in `resources`.
  const folder = new URL("..", import.meta.url);
  const declared = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && file !== "pages/form-page.ts")
    .flatMap((file) =>
      [
        ...readFileSync(new URL(file, folder), "utf8").matchAll(
          /^(?:export )?const (\w+)(?:: FormPage<| = .*=>\s+signedInPage<)/gm,
        ),
      ].map(([, name]) => `${file.replace(/^pages\//, "")} ${name}`),
    );
  assert.deepEqual(
    declared.sort(),
    Object.keys(DECLARED).sort(),
    "list a new form page in DECLARED: how it is opened, its URL tampered with, and a form that it takes",
  );
});

for (const [name, { open, limited = true, closes, file }] of Object.entries(DECLARED))
  test(`${name}: the first refusal of the order answers`, async (t) => {
    stopClock(t);
    const shop = await pages.addMerchant();
    const page = await open(shop);
    const { path, good, wrong, tampered, status } = page;
    const opened = await pages.get(page.tokenAt ?? path, page.cookie ? { cookie: page.cookie } : {});
    const formToken = formTokenIn(opened);
    const cookie = [page.cookie, cookiesSetBy(opened)].filter(Boolean).join("; ");
    const headers = { "x-forwarded-for": "10.7.7.7", cookie };
    const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
    const send = async (to: string, fields: Fields, more: Fields = {}): Promise<PageAnswer> => {
      if (!file) return pages.post(to, { formToken, ...fields }, { ...headers, ...more });
      const name = fields["file"] ?? "";
      const upload = await formOf(
        { field: "formToken", text: formToken },
        { field: "file", name, bytes: name.endsWith(".pdf") ? pdfOf() : Buffer.from("x") },
      );
      return pages.request("POST", to, { ...headers, ...more, ...upload.headers }, upload.body);
    };
    const bad = wrong ?? good;
    if (wrong) assert.equal((await send(path, wrong)).status, 400, "its fields");
    assert.equal((await send(path, bad, foreign)).status, 403, "where it came from, before its fields");
    assert.equal((await send(path, good)).status, status, "a good one");
    if (closes) {
      await pages.query("update organisations set state = 'suspended' where id = $1", shop.organisation.id);
      const closed = await send(path, bad, foreign);
      assert.equal(closed.status, 200, "whether it takes forms, before where it came from");
      assert.doesNotMatch(closed.text, /<form/);
    }
    if (limited) {
      const counted = await pages.query(
        "update rate_windows set count = 1000 where scope like 'page:%' returning scope",
      );
      assert(counted.length > 0);
      const over = await send(path, bad, foreign);
      assert.equal(over.status, 429, "how often it was sent, before whether it takes forms");
      assert(Number(over.headers.get("retry-after")) > 0);
    }
    const unknown = await send(tampered, bad, foreign);
    assert.deepEqual([unknown.status, unknown.heading], [404, "This page does not exist"], "its address, first of all");
  });
