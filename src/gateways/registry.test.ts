import assert from "node:assert/strict";
import { test } from "node:test";
import { cents } from "../kernel/money.ts";
import { accountCapabilities, CAPABILITIES, capabilitiesOf } from "./capabilities.ts";
import type { GatewayAdapter } from "./contract.ts";
import { ADAPTERS, acceptsCurrency, baseUrlFor, describeType, findAdapter, sourcesFor } from "./registry.ts";

// Capability by type, cell for cell; the adapter's functions are on the right. A cell that is not there is a refusal.
const CAN: Record<string, string[]> = {
  manual_eft: ["manualBankTransfer"],
  sandbox: CAPABILITIES.filter((capability) => capability !== "manualBankTransfer"),
  paystack: ["onceOff", "recurring", "cancel", "saveCard", "chargeStoredCard", "refund"],
  sandbox_cancel_only: ["onceOff", "recurring", "cancel", "saveCard", "refund"],
  netcash: ["onceOff", "saveCard", "chargeStoredCard", "debitOrders", "eMandate", "bankAccountCheck"],
  ozow: ["onceOff", "refund"],
  stripe: CAPABILITIES.slice(0, CAPABILITIES.indexOf("refund") + 1),
  yoco: ["onceOff", "refund"],
  peach: ["onceOff", "saveCard", "chargeStoredCard", "refund"],
  stitch: ["onceOff", "recurring", "cancel", "refund"],
  payfast: CAPABILITIES.slice(0, CAPABILITIES.indexOf("refund") + 1),
};

test("every type is listed here", () => {
  assert.deepEqual(ADAPTERS.map(({ type }) => type).toSorted(), Object.keys(CAN).toSorted());
});

for (const adapter of ADAPTERS) {
  const can = new Set(capabilitiesOf(adapter));
  test(`${adapter.type} can what the contract says`, () => assert.deepEqual([...can], CAN[adapter.type]));

  test(`${adapter.type} has the functions of its capabilities and no others`, () => {
    const functions: [boolean, unknown[]][] = [
      [can.has("onceOff"), [adapter.checkout?.start, adapter.checkout?.query, adapter.notifications?.read]],
      [can.has("refund"), [adapter.refunds?.refund, adapter.refunds?.query]],
      [can.has("recurring"), [adapter.subscriptions?.cancel, adapter.subscriptions?.query]],
      [can.has("pause"), [adapter.subscriptions?.pausing?.pause, adapter.subscriptions?.pausing?.resume]],
      [can.has("changeAmount") || can.has("changeDate"), [adapter.subscriptions?.changing?.change]],
      [can.has("chargeStoredCard"), [adapter.storedCards?.charge, adapter.storedCards?.query]],
      [can.has("debitOrders"), [adapter.debitOrders?.submit, adapter.debitOrders?.query]],
      [can.has("eMandate"), [adapter.eMandates?.create, adapter.eMandates?.query]],
      [can.has("bankAccountCheck"), [adapter.bankAccountCheck]],
      [can.has("manualBankTransfer"), [adapter.manualBankTransfer]],
    ];
    for (const [present, parts] of functions)
      for (const part of parts) assert.equal(typeof part, present ? "function" : "undefined");
  });

  test(`${adapter.type} is well formed`, () => {
    assert.match(adapter.type, /^[a-z][a-z0-9_]*$/);
    assert.equal(findAdapter(adapter.type), adapter);
    // Whoever has pages for payers says where they are.
    const shows = !adapter.simulated && (can.has("onceOff") || can.has("eMandate"));
    assert.equal((adapter.payerDomains ?? []).length > 0, shows);
    for (const domain of adapter.payerDomains ?? []) assert.match(domain, /^[a-z0-9-]+(\.[a-z0-9-]+)+$/);
    const names = adapter.credentialFields.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    for (const { name, enables, pattern } of adapter.credentialFields) {
      assert.match(name, /^[a-z][A-Za-z0-9]*$/);
      assert.doesNotThrow(() => new RegExp(pattern ?? "", "u"));
      for (const capability of enables?.capabilities ?? []) assert.ok(can.has(capability));
    }
    // A gateway of others says what it costs and does not do, where its credentials are found, and for which mode its keys are.
    if (!adapter.simulated && adapter.notifications) {
      const { fees, limits } = adapter.facts ?? assert.fail("facts");
      for (const text of [fees, ...limits]) assert.match(text, /^\S.+\.$/u);
      assert.ok(limits.length > 0);
      for (const { name, where, choices } of adapter.credentialFields)
        assert.ok((where ?? "").length > 3 || choices, `where ${name} is found`);
    }
    const namesModes = adapter.credentialFields.some(({ pattern, hint }) => /_live|_test/.test(`${pattern} ${hint}`));
    assert.equal(adapter.keysAreFor !== undefined, namesModes);
    for (const currency of Object.keys(adapter.checkout?.minimumAmounts ?? {}))
      assert.ok(acceptsCurrency(adapter, currency));
  });

  test(`${adapter.type} can be described in JSON`, () => {
    const described = describeType(adapter);
    assert.deepEqual(JSON.parse(JSON.stringify(described)), described);
  });
}

test("an unknown type is not found, names of the prototype included", () => {
  for (const type of ["nosuch", "", "constructor", "__proto__"]) assert.equal(findAdapter(type), undefined);
});

test("an account lacks what needs a credential that it leaves out", () => {
  const adapter: GatewayAdapter = {
    ...(findAdapter("sandbox") as GatewayAdapter),
    credentialFields: [
      {
        name: "payNowKey",
        label: "Pay Now key",
        secret: true,
        required: false,
        enables: { capabilities: ["onceOff"] },
      },
      {
        name: "cardDebits",
        label: "Card debits",
        secret: false,
        required: false,
        choices: ["on", "off"],
        enables: { capabilities: ["chargeStoredCard"], when: "on" },
      },
    ],
  };
  const lacks = (credentials: Record<string, string>) => {
    const can = accountCapabilities(adapter, credentials);
    return capabilitiesOf(adapter).filter((capability) => !can.includes(capability));
  };
  assert.deepEqual(lacks({ payNowKey: "k", cardDebits: "on" }), []);
  assert.deepEqual(lacks({ payNowKey: "k", cardDebits: "off" }), ["chargeStoredCard"]);
  assert.deepEqual(lacks({ cardDebits: "on" }), ["onceOff"]);
  assert.deepEqual(lacks({}), ["onceOff", "chargeStoredCard"]);
});

test("minimum amounts are described in major units", () => {
  const adapter = findAdapter("sandbox") ?? assert.fail();
  const checkout = { ...(adapter.checkout ?? assert.fail()), minimumAmounts: { ZAR: cents(505) } };
  assert.deepEqual(describeType({ ...adapter, checkout }).minimumAmounts, { ZAR: 5.05 });
  assert.deepEqual(describeType(findAdapter("manual_eft") ?? assert.fail()).minimumAmounts, {});
});

const OWN = "http://127.0.0.1:8080";
const BASES: [string, boolean, Record<string, string>, string | null][] = [
  ["payfast", false, {}, null],
  ["payfast", false, { GATEWAY_URL_PAYFAST: "http://localhost:9000/" }, "http://localhost:9000"],
  ["payfast", false, { GATEWAY_URL_PAYFAST: "" }, null],
  ["payfast", false, { GATEWAY_URL_OZOW: "http://localhost:9000" }, null],
  ["sandbox", true, {}, OWN],
  ["sandbox", true, { GATEWAY_URL_SANDBOX: "http://localhost:9000" }, "http://localhost:9000"],
  ["sandbox_cancel_only", true, { GATEWAY_URL_SANDBOX: "http://localhost:9000" }, OWN],
];
for (const [type, simulated, environment, expected] of BASES)
  test(`${type} with ${JSON.stringify(environment)} is called at ${expected ?? "its real hosts"}`, () =>
    assert.equal(baseUrlFor({ type, simulated }, environment, OWN), expected));

const SOURCES: [Record<string, string>, readonly string[] | null][] = [
  [{}, null],
  [{ GATEWAY_SOURCES_PAYFAST: "" }, null],
  [{ GATEWAY_SOURCES_PAYFAST: " , " }, null],
  [{ GATEWAY_SOURCES_OZOW: "10.0.0.1" }, null],
  [{ GATEWAY_SOURCES_PAYFAST: "10.0.0.1, 10.1.0.0/16" }, ["10.0.0.1", "10.1.0.0/16"]],
];
for (const [environment, sources] of SOURCES)
  test(`with ${JSON.stringify(environment)} notifications come from ${sources ?? "the published addresses"}`, () =>
    assert.deepEqual(sourcesFor("payfast", environment), sources));

test("manual EFT shows the account to deposit to", () => {
  const credentials = {
    bankName: "FNB",
    accountName: "Acme",
    accountNumber: "62123456789",
    branchCode: "250655",
    accountType: "current",
  };
  assert.deepEqual(findAdapter("manual_eft")?.manualBankTransfer?.(credentials), credentials);
});
