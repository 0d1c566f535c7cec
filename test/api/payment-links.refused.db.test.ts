import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { issuePaths, type Refusal } from "../support/api.ts";
import { BANK } from "../support/eft.ts";
import { at, DAY, metadataOf, SHOP, setUpLinks, urlOf } from "../support/payment-links.ts";
import { EMOJI, long } from "../support/text.ts";

const links = setUpLinks();
const { allow, body, count, create, refused } = links;

describe("400 invalid_request", () => {
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, "v"]));
  /** Fields, and the path of the only issue. */
  const REFUSED: [string, object, string][] = [
    ["title left out", { title: undefined }, "title"],
    ["title null", { title: null }, "title"],
    ["title empty", { title: "" }, "title"],
    ["title of spaces", { title: " \u00a0\t\u2003" }, "title"],
    ["title of 101", { title: long(101) }, "title"],
    ["title of 101 emoji", { title: long(101, EMOJI) }, "title"],
    ["title a number", { title: 5 }, "title"],
    ["title with NUL", { title: "a\0b" }, "title"],
    ["title with half an emoji", { title: "a\ud83c" }, "title"],
    ["amount left out", { amount: undefined }, "amount"],
    ["amount null", { amount: null }, "amount"],
    ["amount a string", { amount: "250.00" }, "amount"],
    ["amount true", { amount: true }, "amount"],
    ["amount an array", { amount: [1] }, "amount"],
    ["amount 0", { amount: 0 }, "amount"],
    ["amount negative", { amount: -1 }, "amount"],
    ["amount that rounds to 0", { amount: 0.004 }, "amount"],
    ["amount 0.00499999", { amount: 0.00499999 }, "amount"],
    ["amount a cent over", { amount: 10_000_000.01 }, "amount"],
    ["currency of no country", { currency: "AAA" }, "currency"],
    ["currency of two letters", { currency: "ZA" }, "currency"],
    ["currency of four letters", { currency: "ZARR" }, "currency"],
    ["currency empty", { currency: "" }, "currency"],
    ["currency a number", { currency: 710 }, "currency"],
    ["currency that no gateway takes", { currency: "GBP" }, "currency"],
    ["currency of a disabled gateway alone", { currency: "EUR" }, "currency"],
    ["reference empty", { externalReference: "" }, "externalReference"],
    ["reference of spaces", { externalReference: "   " }, "externalReference"],
    ["reference of 101", { externalReference: long(101) }, "externalReference"],
    ["reference a number", { externalReference: 12 }, "externalReference"],
    ["reference with NUL", { externalReference: "\0" }, "externalReference"],
    ["description of 256", { description: long(256) }, "description"],
    ["description of 256 emoji", { description: long(256, EMOJI) }, "description"],
    ["description of 255 and a space", { description: `${long(255)} ` }, "description"],
    ["metadata an array", { metadata: ["a"] }, "metadata"],
    ["metadata a string", { metadata: "a" }, "metadata"],
    ["metadata nested", { metadata: { a: { b: "c" } } }, "metadata"],
    ["metadata with a list", { metadata: { a: ["b"] } }, "metadata"],
    ["metadata key empty", { metadata: { "": "x" } }, "metadata"],
    ["metadata key of 41", { metadata: { [long(41)]: "x" } }, "metadata"],
    ["metadata key with a space", { metadata: { "a b": "x" } }, "metadata"],
    ["metadata key with an accent", { metadata: { é: "x" } }, "metadata"],
    ["metadata value of 501", { metadata: { a: long(501) } }, "metadata"],
    ["metadata value with NUL", { metadata: { a: "\0" } }, "metadata"],
    ["metadata of 51 keys", { metadata: many }, "metadata"],
    ["metadata of 4001 characters", { metadata: metadataOf(4001) }, "metadata"],
    ["metadata key bad although null", { metadata: { "a b": null } }, "metadata"],
    ["recurring a string", { recurring: "monthly" }, "recurring"],
    ["recurring without frequency", { recurring: {} }, "recurring.frequency"],
    ["recurring weekly", { recurring: { frequency: "weekly" } }, "recurring.frequency"],
    ["recurring of 0", { recurring: { frequency: "monthly", amount: 0 } }, "recurring.amount"],
    ["recurring over the most", { recurring: { frequency: "monthly", amount: 10_000_000.01 } }, "recurring.amount"],
    ["customer unknown", { customerId: "cus_00000000000000000000000000" }, "customerId"],
    ["customer empty", { customerId: "" }, "customerId"],
    ["customer a number", { customerId: 1 }, "customerId"],
    ["email without at-sign", { customerEmail: "thandi" }, "customerEmail"],
    ["email empty", { customerEmail: "" }, "customerEmail"],
    ["email of 201", { customerEmail: `${long(189)}@example.org` }, "customerEmail"],
    ["email with a line", { customerEmail: "a@example.org\nBcc: b@example.org" }, "customerEmail"],
    ["first name of 101", { customerEmail: "a@example.org", customerFirstName: long(101) }, "customerFirstName"],
    ["last name of 101", { customerEmail: "a@example.org", customerLastName: long(101) }, "customerLastName"],
    ["first name a number", { customerFirstName: 1 }, "customerFirstName"],
    ["product unknown", { productId: "prod_00000000000000000000000000" }, "productId"],
    ["invoice unknown", { invoiceId: "inv_00000000000000000000000000" }, "invoiceId"],
    ["singleUse a string", { singleUse: "false" }, "singleUse"],
    ["singleUse 0", { singleUse: 0 }, "singleUse"],
    ["expiry now", { expiresAt: at(0) }, "expiresAt"],
    ["expiry in the past", { expiresAt: at(-1) }, "expiresAt"],
    ["expiry over a year ahead", { expiresAt: at(366 * DAY + 1) }, "expiresAt"],
    ["expiry without a zone", { expiresAt: "2027-06-01T10:00:00" }, "expiresAt"],
    ["expiry without seconds", { expiresAt: "2027-06-01T10:00Z" }, "expiresAt"],
    ["expiry a date", { expiresAt: "2027-06-01" }, "expiresAt"],
    ["expiry on a day that is none", { expiresAt: "2027-06-31T10:00:00Z" }, "expiresAt"],
    ["expiry at hour 24", { expiresAt: "2027-06-01T24:00:00Z" }, "expiresAt"],
    ["expiry at second 60", { expiresAt: "2027-06-01T10:00:60Z" }, "expiresAt"],
    ["expiry with an offset of 24 hours", { expiresAt: "2027-06-01T10:00:00+24:00" }, "expiresAt"],
    ["expiry in words", { expiresAt: "tomorrow" }, "expiresAt"],
    ["expiry a number", { expiresAt: Date.parse(at(DAY)) }, "expiresAt"],
    ["expiry empty", { expiresAt: "" }, "expiresAt"],
    ["return URL empty", { returnUrl: "" }, "returnUrl"],
    ["return URL of 1001", { returnUrl: urlOf(1001) }, "returnUrl"],
    ["return URL of 1001 with a fragment", { returnUrl: `${urlOf(990)}#${long(10)}` }, "returnUrl"],
    ["return URL a number", { returnUrl: 1 }, "returnUrl"],
  ];
  for (const [name, given, path] of REFUSED) test(name, () => refused(create(given), path));

  /** URLs that some parsers read as the allowed origin, or as another origin than they look like (decisions.md#ambiguous-urls). */
  const TRAPS = [
    "http://shop.example/",
    "https:shop.example/",
    "https:/shop.example/",
    "https:///shop.example/",
    "https:\\\\shop.example/",
    "https://shop.example\\@evil.example/",
    "https://evil.example\\.shop.example/",
    "https://user@shop.example/",
    "https://user:pass@shop.example/",
    "https://shop.example@evil.example/",
    "https://shop\uff0eexample/",
    "https://shop\u3002example/",
    "https://sh\u00adop.example/",
    "https://shop.example./",
    "https://shop.example:8443/",
    "https://sub.shop.example/",
    "https://shop.example.evil.example/",
    "https://shop%2eexample/",
    "https://shop.example\t/",
    "https://shop.example/a b",
    "https://shop.example/a\nb",
    "\thttps://shop.example/",
    " https://shop.example/",
    "HTTPS://shop.example/",
    "//shop.example/",
    "/done",
    "javascript:alert(1)//https://shop.example",
    "data:text/html,https://shop.example",
    "https://shop.example:0443/x\0",
    "https://",
    "https://?",
    "https://shop.example:99999/",
    "https://[::1/",
    "http://127.0.0.1:3001/",
    "http://127.1:3000/",
    "http://2130706433:3000/",
    "http://0x7f.0.0.1:3000/",
    "http://127.0.0.1.evil.example:3000/",
    "http://127.0.0.1:3000@evil.example/",
    "http://[::1]:3000/",
    "https://shop.example/\ud800",
  ];
  for (const trap of TRAPS)
    test(`return URL ${JSON.stringify(trap)}`, () => refused(create({ returnUrl: trap }), "returnUrl"));

  test("a live organisation has no loopback, allowed or not", async () => {
    const live = await links.api.addMerchant({ sandbox: false });
    await live.addGateway({ type: "manual_eft", credentials: BANK });
    await allow(live, "http://127.0.0.1:3000", SHOP);
    await refused(live.post("/payment-links", body({ returnUrl: "http://127.0.0.1:3000/" })), "returnUrl");
    assert.equal((await live.post("/payment-links", body({ returnUrl: `${SHOP}/` }))).status, 201);
  });

  test("an origin that another organisation allows", async () => {
    const other = await links.api.addMerchant();
    await other.addGateway();
    await refused(other.post("/payment-links", body({ returnUrl: `${SHOP}/` })), "returnUrl");
  });

  /** Numbers that a JavaScript number cannot hold. */
  for (const amount of ["1e400", "-1e400", "1e-400", "10000000.00001", "0.0049999999999999999999", "9e99", "1e7000000"])
    test(`amount ${amount}`, () =>
      refused(links.merchant.post("/payment-links", `{"title":"a","amount":${amount}}`), "amount"));

  test("several faults at once are each an issue", async () => {
    const answer = await links.merchant.post<Refusal>("/payment-links", { amount: "1", singleUse: 1, metadata: [] });
    assert.deepEqual(issuePaths(answer).sort(), ["amount", "metadata", "singleUse", "title"]);
    for (const issue of answer.body.issues ?? []) {
      assert.equal(typeof issue.code, "string");
      assert.equal(typeof issue.message, "string");
    }
  });

  test("every issue says what kind of value it is about", async () => {
    const sent = { amount: "1", singleUse: 1, metadata: [] };
    const answer = await links.merchant.post<Refusal>("/payment-links", sent);
    const origins = (answer.body.issues ?? []).map(({ path, origin }) => [path.join("."), origin]);
    const none = await create({ customerId: "cus_nope" });
    const [rule] = (none.body["issues"] as { origin: string }[] | undefined) ?? [];
    assert.deepEqual(
      [...origins.toSorted(), ["customerId", rule?.origin]],
      [
        ["amount", "number"],
        ["metadata", "array"],
        ["singleUse", "boolean"],
        ["title", "string"],
        ["customerId", "rule"],
      ],
    );
  });

  test("an issue of size has the shape of interface 4.2", async () => {
    const { body } = await create({ title: "" });
    const [issue] = (body["issues"] as Record<string, unknown>[] | undefined) ?? [];
    const { message, ...rest } = issue ?? {};
    assert.equal(typeof message, "string");
    assert.deepEqual(rest, { origin: "string", code: "too_small", minimum: 1, inclusive: true, path: ["title"] });
  });

  test("no gateway at all", async () => {
    const bare = await links.api.addMerchant();
    await refused(bare.post("/payment-links", body()), "currency");
  });

  test("nothing is stored", async () => {
    const before = await count();
    await create({ customerEmail: "never@example.org", currency: "GBP" });
    assert.equal(await count(), before);
    assert.equal((await links.api.query("select from customers where email = 'never@example.org'")).length, 0);
  });
});
