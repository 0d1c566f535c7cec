import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, openApi, type Refusal, type StaffCall, type TestApi } from "../support/api.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 2.10, 3.9 and 4.12: checkout sessions by API. */

type Shown = Record<string, unknown>;

describe("checkout sessions", () => {
  let api: TestApi;
  let merchant: ApiMerchant;
  let staff: StaffCall;
  let packageId: string;
  let planId: string;
  let productId: string;

  const addPackage = async (body: object = {}) =>
    (await merchant.post<{ id: string }>("/packages", { name: "Hosting", ...body })).body.id;
  const addPlan = async (parent: string, body: object = {}) =>
    (
      await merchant.post<{ id: string }>(`/packages/${parent}/plans`, {
        name: "Gold",
        amount: 99,
        frequency: "monthly",
        ...body,
      })
    ).body.id;
  const addProduct = async (body: object = {}) =>
    (await staff<{ id: string }>("POST", "/products", { name: "Book", amount: 120, ...body })).body.id;
  const create = (body: object, of = merchant) => of.post<Shown>("/checkout-sessions", body);
  const made = async (body: object): Promise<Shown> => {
    const answer = await create(body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const compatible = (body: object, headers = {}) =>
    api.call<Shown>("POST", "/api/billing-webhook/checkout", {
      body,
      headers: { authorization: `Bearer ${merchant.key}`, ...headers },
    });

  before(async () => {
    api = await openApi();
    merchant = await api.addMerchant({ clockAt: null });
    staff = await merchant.signIn("owner");
    packageId = await addPackage();
    planId = await addPlan(packageId);
    productId = await addProduct();
    await staff("PUT", "/allowed-return-urls", { origins: ["https://shop.example"] });
    await staff("POST", "/coupons", { code: "TEN", percent: 10 });
    await staff("POST", "/coupons", { code: "OFF", percent: 10, enabled: false });
  });
  after(() => closeVerified(api));

  test("a session of a plan takes its package from it, and is read again as it was made", async () => {
    const session = await made({
      planId,
      returnUrl: "https://shop.example/back?a=1#part",
      customer: {
        email: " Thandi@Example.co.za ",
        firstName: "Thandi",
        lastName: "",
        phone: null,
        company: "c".repeat(150),
      },
      couponCode: " ten ",
      metadata: { order: 7 },
    });
    const { sessionId, ...shown } = session;
    assert.equal(sessionId, shown["id"]);
    assert.match(String(shown["id"]), /^chk_[0-9a-z]{26}$/);
    const token = new URL(String(shown["checkoutUrl"])).searchParams.get("session") ?? "";
    assert.match(token, /^[\w-]{64}$/);
    assert.deepEqual(shown, {
      object: "checkout_session",
      id: shown["id"],
      status: "pending",
      source: "api",
      checkoutUrl: `${api.baseUrl}/c/${merchant.organisation.slug}/package/${packageId}?plan=${planId}&session=${token}`,
      packageId,
      planId,
      productId: null,
      customerId: null,
      subscriptionId: null,
      couponCode: "TEN",
      returnUrl: "https://shop.example/back?a=1",
      prefill: { email: "Thandi@Example.co.za", firstName: "Thandi", company: "c".repeat(100) },
      metadata: { order: "7" },
      transaction: null,
      expiresAt: new Date(Date.parse(String(shown["createdAt"])) + 24 * 3600 * 1000).toISOString(),
      usedAt: null,
      createdAt: shown["createdAt"],
      updatedAt: shown["createdAt"],
    });
    assert.deepEqual((await merchant.get(`/checkout-sessions/${shown["id"]}`)).body, shown);
    assert.deepEqual((await staff("GET", `/checkout-sessions/${shown["id"]}`)).body, shown);
  });

  test("a session of a package leaves the plan to the payer; one of a product has neither", async () => {
    const ofPackage = await made({ packageId });
    assert.deepEqual([ofPackage["packageId"], ofPackage["planId"], ofPackage["prefill"]], [packageId, null, {}]);
    const ofProduct = await made({ productId });
    assert.deepEqual([ofProduct["packageId"], ofProduct["productId"]], [null, productId]);
    assert.match(
      String(ofProduct["checkoutUrl"]),
      new RegExp(`/c/${merchant.organisation.slug}/product/${productId}\\?session=`),
    );
  });

  test("client stands for customer, companyName for company, and customer wins", async () => {
    const one = await made({ productId, client: { email: "a@example.com", companyName: "Karoo Books" } });
    assert.deepEqual(one["prefill"], { email: "a@example.com", company: "Karoo Books" });
    const both = await made({
      productId,
      customer: { firstName: "B" },
      client: { email: "no address", firstName: "A" },
    });
    assert.deepEqual(both["prefill"], { firstName: "B" });
  });

  test("the compatibility endpoint makes the same session, once with one key", async () => {
    const body = { packageId, subscriptionId: planId, client: { email: "a@example.com" }, metadata: { a: "1" } };
    const answer = await compatible(body, { "idempotency-key": "one" });
    assert.equal(answer.status, 201, answer.text);
    assert.deepEqual(Object.keys(answer.body).sort(), ["checkoutUrl", "expiresAt", "sessionId"]);
    const { body: session } = await merchant.get(`/checkout-sessions/${answer.body["sessionId"]}`);
    assert.deepEqual(
      [session["planId"], session["prefill"], session["metadata"], session["checkoutUrl"], session["expiresAt"]],
      [planId, { email: "a@example.com" }, { a: "1" }, answer.body["checkoutUrl"], answer.body["expiresAt"]],
    );
    const again = await compatible(body, { "idempotency-key": "one" });
    assert.deepEqual([again.body, again.headers["idempotent-replayed"]], [answer.body, "true"]);
    const refused = await compatible({ client: { email: "x" }, productId });
    assert.deepEqual([refused.status, refused.body["error"]], [400, "invalid_request"]);
    assert.equal((await api.call("POST", "/api/billing-webhook/checkout", { body })).status, 401);
    assert.equal((await api.call("GET", "/api/billing-webhook/checkout")).status, 405);
  });

  test("one key makes one session", async () => {
    const call = (body: object) =>
      merchant.post<Shown>("/checkout-sessions", body, { headers: { "idempotency-key": "k" } });
    const answers = await Promise.all([call({ productId }), call({ productId }), call({ productId })]);
    assert.equal(new Set(answers.map(({ body }) => body["id"])).size, 1);
    assert.equal((await call({ packageId })).status, 409);
  });

  describe("is refused", () => {
    let disabledPackage: string;
    let planOfDisabled: string;
    let disabledPlan: string;
    let askedPlan: string;
    let otherPackage: string;
    let disabledProduct: string;
    before(async () => {
      disabledPackage = await addPackage({ enabled: false });
      planOfDisabled = await addPlan(disabledPackage);
      otherPackage = await addPackage();
      disabledPlan = await addPlan(otherPackage, { enabled: false });
      askedPlan = await addPlan(otherPackage, { callToAction: "contact_us" });
      disabledProduct = await addProduct({ enabled: false });
    });
    const long = `https://shop.example/${"a".repeat(1000)}`;
    for (const [what, body] of [
      ["nothing to sell", () => ({})],
      ["a plan and a product", () => ({ planId, productId })],
      ["a package and a product", () => ({ packageId, productId })],
      ["an unknown package", () => ({ packageId: "pkg_x" })],
      ["an unknown plan", () => ({ planId: "plan_x" })],
      ["an unknown product", () => ({ productId: "prod_x" })],
      ["a disabled package", () => ({ packageId: disabledPackage })],
      ["a plan of a disabled package", () => ({ planId: planOfDisabled })],
      ["a disabled plan", () => ({ planId: disabledPlan })],
      ["a disabled product", () => ({ productId: disabledProduct })],
      ["a plan of another package", () => ({ packageId: otherPackage, planId })],
      ["a plan that asks to get in touch", () => ({ planId: askedPlan })],
      ["a return URL without TLS", () => ({ productId, returnUrl: "http://shop.example/" })],
      ["a return URL of another origin", () => ({ productId, returnUrl: "https://evil.example/" })],
      ["a return URL that is none", () => ({ productId, returnUrl: "back" })],
      ["a long return URL", () => ({ productId, returnUrl: long })],
      ["an unknown coupon", () => ({ productId, couponCode: "NONE" })],
      ["a disabled coupon", () => ({ productId, couponCode: "OFF" })],
      ["a long coupon code", () => ({ productId, couponCode: "c".repeat(51) })],
      ["an address that is none", () => ({ productId, customer: { email: "thandi" } })],
      ["a client's address that is none", () => ({ productId, client: { email: "thandi" } })],
      ["a long address", () => ({ productId, customer: { email: `${"a".repeat(200)}@example.com` } })],
      ["a long first name", () => ({ productId, customer: { firstName: "a".repeat(101) } })],
      ["a long phone number", () => ({ productId, customer: { phone: "0".repeat(31) } })],
      ["a long company", () => ({ productId, customer: { company: "a".repeat(201) } })],
      ["nested metadata", () => ({ productId, metadata: { a: {} } })],
    ] as const)
      test(`with ${what}`, async () => {
        const answer = await merchant.post<Refusal>("/checkout-sessions", body());
        assert.equal(answer.status, 400, answer.text);
        assert.equal(answer.body.error, "invalid_request");
        assert(answer.body.issues?.length);
      });

    test("by the plan's features and the state of the account", async () => {
      const growth = await api.addMerchant({ plan: "growth" });
      const starter = await api.addMerchant({ plan: "starter" });
      const suspended = await api.addMerchant({ state: "suspended" });
      const code = async (of: ApiMerchant, body: object) => {
        const answer = await of.post<Refusal>("/checkout-sessions", body);
        return [answer.status, answer.body.error];
      };
      assert.deepEqual(await code(starter, { productId }), [403, "plan_restricted"]);
      assert.deepEqual(await code(suspended, { productId }), [403, "account_restricted"]);
      assert.deepEqual(await code(growth, { productId }), [400, "invalid_request"]);
    });
  });

  test("lists newest first, by status and customer; another organisation's is not found", async () => {
    const other = await api.addMerchant();
    const list = async (query: string) =>
      (await merchant.get<{ data: Shown[] }>(`/checkout-sessions${query}`)).body.data;
    const [one, two] = [await made({ productId }), await made({ productId })];
    assert.deepEqual(
      (await list("?limit=2")).map(({ id }) => id),
      [two["id"], one["id"]],
    );
    assert.equal((await merchant.get("/checkout-sessions?status=open")).status, 400);
    assert.deepEqual(await list("?status=completed"), []);
    assert.deepEqual(await list("?customerId=cus_x"), []);
    assert.equal((await other.get(`/checkout-sessions/${one["id"]}`)).status, 404);
    assert.deepEqual((await other.get<{ data: Shown[] }>("/checkout-sessions")).body.data, []);
    await api.query(
      "update checkout_sessions set created_at = created_at - interval '1 day', expires_at = expires_at - interval '1 day' where id = $1",
      one["id"],
    );
    assert.deepEqual(
      (await list("?status=expired")).map(({ id, checkoutUrl }) => [id, checkoutUrl]),
      [[one["id"], null]],
    );
    assert(!(await list("?status=pending")).some(({ id }) => id === one["id"]));
    assert((await list("?status=pending")).some(({ id }) => id === two["id"]));
    assert.equal((await merchant.get(`/checkout-sessions/${one["id"]}`)).body["status"], "expired");
  });

  test("expires after 24 hours of the organisation's clock, without an event; what it sells cannot be deleted", async () => {
    const shop = await api.addMerchant();
    const call = await shop.signIn("owner");
    const { body: product } = await call<{ id: string }>("POST", "/products", { name: "Book", amount: 120 });
    const { body: session } = await create({ productId: product.id }, shop);
    assert.equal((await call("DELETE", `/products/${product.id}`)).status, 409);
    const later = (seconds: number) =>
      new Date(Date.parse(String(session["createdAt"])) + seconds * 1000).toISOString();
    await call("POST", "/test-clock", { now: later(24 * 3600 - 1) });
    assert.equal((await shop.get(`/checkout-sessions/${session["id"]}`)).body["status"], "pending");
    await call("POST", "/test-clock", { now: later(24 * 3600) });
    const { body } = await shop.get(`/checkout-sessions/${session["id"]}`);
    assert.deepEqual([body["status"], body["checkoutUrl"], body["updatedAt"]], ["expired", null, later(24 * 3600)]);
    const [row] = await api.query<Shown>("select status from checkout_sessions where id = $1", session["id"]);
    assert.equal(row?.["status"], "expired");
    assert.deepEqual(
      (await call<{ data: Shown[] }>("GET", "/events")).body.data.filter(({ type }) =>
        String(type).startsWith("checkout"),
      ),
      [],
    );
  });
});
