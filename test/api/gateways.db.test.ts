import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { z } from "zod";
import { RECORDS } from "../../src/catalogue.ts";
import { gatewayCallOf } from "../../src/flows/gateways/accounts.ts";
import { ADAPTERS } from "../../src/gateways/registry.ts";
import { auditLogEndpoints } from "../../src/http/resources/audit-log.ts";
import { gatewayEndpoints } from "../../src/http/resources/gateways.ts";
import { GatewayTypeObject } from "../../src/modules/gateway-accounts/schema.ts";
import { findGatewayAccount } from "../../src/modules/gateway-accounts/store.ts";
import { machineNow } from "../../src/platform/machine-clock.ts";
import { newId } from "../../src/platform/new-id.ts";
import { addMerchant, dataOf, issuePath, type Merchant, openMerchant } from "../support/merchant.ts";

const BANK = { bankName: "Karoo Bank", accountName: "Karoo Wool", accountNumber: "62001234567", branchCode: "250655" };

describe("gateways", () => {
  let live: Merchant;
  let sandbox: Merchant;
  before(async () => {
    live = await openMerchant([...gatewayEndpoints, ...auditLogEndpoints(RECORDS)]);
    sandbox = await addMerchant(live.dashboard, { sandbox: true });
  });
  after(() => live.close());

  /** The credentials that adapters get for the account. */
  const credentialsOf = (merchant: Merchant, id: unknown) => {
    const { services } = merchant.dashboard;
    return services.db.read(merchant.organisation.id, async (tx) => {
      const account = await findGatewayAccount(tx, String(id));
      assert.ok(account);
      return gatewayCallOf(services, merchant.organisation, account, machineNow()).credentials;
    });
  };

  test("types say what staff have to fill in and what can be done; the sandbox's are for sandbox organisations", async () => {
    const types = dataOf(await sandbox.call("GET", "/gateway-types"));
    const all = ADAPTERS.map(({ type }) => type);
    assert.deepEqual(
      types.map(({ type }) => type),
      all,
    );
    assert.deepEqual(
      dataOf(await live.call("GET", "/gateway-types")).map(({ type }) => type),
      all.filter((type) => !type.startsWith("sandbox")),
    );
    const [manual, simulated] = types;
    assert.ok(manual && simulated);
    assert.deepEqual(
      (manual["credentialFields"] as { name: string }[]).map(({ name }) => name),
      ["bankName", "accountName", "accountNumber", "branchCode", "accountType"],
    );
    assert.deepEqual([manual["sandboxOnly"], simulated["sandboxOnly"]], [false, true]);
    assert.ok((simulated["capabilities"] as string[]).includes("refund"));
    const described = z.strictObject(GatewayTypeObject.shape);
    for (const type of types) assert.deepEqual(described.parse(type), type);
  });

  test("keys of the other mode are refused where the gateway's own hosts would be called, and nothing is asked", async () => {
    const webhookSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3";
    for (const [merchant, mode, word] of [
      [live, undefined, "test"],
      [live, "live", "test"],
      [live, "sandbox", "live"],
      [sandbox, undefined, "live"],
      [sandbox, "live", "test"],
    ] as const)
      for (const type of ["paystack", "stripe", "yoco"]) {
        const secretKey = `sk_${word}_0123456789`;
        const credentials = { secretKey, ...(type === "stripe" ? { webhookSecret } : {}) };
        const body = { type, credentials, ...(mode ? { mode } : {}) };
        const saved = await merchant.call("POST", "/gateways", body);
        assert.equal(saved.status, 400, JSON.stringify(saved.body));
        assert.match(JSON.stringify(saved.body), new RegExp(`This is a ${word} key of`));
        const tested = await merchant.call("POST", "/gateways/test", body);
        assert.partialDeepStrictEqual(tested, { status: 200, body: { result: "refused" } });
      }
  });

  test("an account's credentials are never answered", async () => {
    const created = await live.call("POST", "/gateways", { type: "manual_eft", name: "FNB", credentials: BANK });
    assert.equal(created.status, 201, JSON.stringify(created.body));
    const { id, createdAt, updatedAt, ...rest } = created.body;
    assert.equal(createdAt, updatedAt);
    assert.deepEqual(rest, {
      type: "manual_eft",
      name: "FNB",
      mode: "live",
      enabled: true,
      currencies: ["ZAR"],
      capabilities: ["manualBankTransfer"],
      credentialsSet: ["accountName", "accountNumber", "accountType", "bankName", "branchCode"],
      notifyUrl: null,
    });
    assert.deepEqual(await credentialsOf(live, id), { ...BANK, accountType: "current" });
    assert.deepEqual(dataOf(await live.call("GET", "/gateways")), [created.body]);
    const log = JSON.stringify((await live.call("GET", "/audit-log")).body);
    assert.ok(log.includes(String(id)) && !log.includes(BANK.accountNumber));
  });

  test("PATCH leaves the credentials that are not given, and removes those that are empty", async () => {
    const { body } = await live.call("POST", "/gateways", { type: "manual_eft", credentials: BANK });
    const path = `/gateways/${body["id"]}`;
    const changed = await live.call("PATCH", path, { name: "New bank", credentials: { branchCode: "632005" } });
    assert.deepEqual([changed.status, changed.body["name"]], [200, "New bank"]);
    assert.deepEqual(await credentialsOf(live, body["id"]), { ...BANK, branchCode: "632005", accountType: "current" });
    const [entry] = dataOf(await live.call("GET", "/audit-log"));
    assert.match(JSON.stringify(entry), /"credentialsGiven":\["branchCode"\]/);
    assert.ok(!JSON.stringify(entry).includes("632005"));
    const off = await live.call("PATCH", path, { enabled: false, currencies: ["zar", "USD", "USD"] });
    assert.deepEqual([off.body["enabled"], off.body["currencies"]], [false, ["ZAR", "USD"]]);
    assert.deepEqual(await credentialsOf(live, body["id"]), { ...BANK, branchCode: "632005", accountType: "current" });
    const [other] = dataOf(await live.call("GET", "/audit-log"));
    assert.ok(!JSON.stringify(other).includes("credentialsGiven"));
    const missing = await live.call("PATCH", path, { credentials: { bankName: "" } });
    assert.deepEqual([missing.status, issuePath(missing)], [400, ["credentials", "bankName"]]);
  });

  test("an account that no bank has is refused, in a sandbox too; check digits count where money is real", async () => {
    const add = (to: typeof live, credentials: object) =>
      to.call("POST", "/gateways", { type: "manual_eft", credentials: { ...BANK, ...credentials } });
    for (const [credentials, field] of [
      [{ accountNumber: "00000000000" }, "accountNumber"],
      [{ accountNumber: "12345678901234567" }, "accountNumber"],
      [{ branchCode: "000000" }, "branchCode"],
    ] as const)
      for (const organisation of [live, sandbox]) {
        const answer = await add(organisation, credentials);
        assert.deepEqual([answer.status, issuePath(answer)], [400, ["credentials", field]]);
      }
    const wrong = { branchCode: "051001", accountNumber: "10000000000" };
    assert.equal((await add(live, wrong)).status, 400);
    const { status, body } = await add(sandbox, wrong);
    assert.equal(status, 201);
    const patched = await sandbox.call("PATCH", `/gateways/${body["id"]}`, { credentials: { branchCode: "000000" } });
    assert.deepEqual([patched.status, issuePath(patched)], [400, ["credentials", "branchCode"]]);
  });

  test("two changes at once of different credentials lose nothing in silence", async () => {
    const { body } = await live.call("POST", "/gateways", { type: "manual_eft", credentials: BANK });
    const given = [{ bankName: "One" }, { accountName: "Two" }, { branchCode: "111111" }, { accountType: "savings" }];
    const answers = await Promise.all(
      given.map((credentials) => live.call("PATCH", `/gateways/${body["id"]}`, { credentials })),
    );
    const held = given.filter((_, index) => answers[index]?.status === 200);
    assert.ok(answers.every(({ status }) => status === 200 || status === 409));
    const expected = Object.assign({ ...BANK, accountType: "current" }, ...held);
    assert.deepEqual(await credentialsOf(live, body["id"]), expected);
  });

  test("a sandbox organisation's sandbox account makes its own credentials and says where it reports to", async () => {
    const { status, body } = await sandbox.call("POST", "/gateways", { type: "sandbox" });
    assert.equal(status, 201, JSON.stringify(body));
    assert.equal(body["mode"], "sandbox");
    assert.equal(body["notifyUrl"], `http://localhost:8080/api/webhooks/sandbox?account=${body["id"]}`);
    assert.ok((body["credentialsSet"] as string[]).length > 0);
    assert.ok((body["capabilities"] as string[]).includes("onceOff"));
  });

  const REFUSED: [string, object, unknown[]][] = [
    ["no type", {}, ["type"]],
    ["an unknown type", { type: "piggy_bank" }, ["type"]],
    ["the sandbox in a live organisation", { type: "sandbox" }, ["type"]],
    ["no credentials", { type: "manual_eft" }, ["credentials", "bankName"]],
    ["a credential that is none", { type: "manual_eft", credentials: { ...BANK, pin: "1" } }, ["credentials", "pin"]],
    [
      "a credential as number",
      { type: "manual_eft", credentials: { ...BANK, bankName: 1 } },
      ["credentials", "bankName"],
    ],
    ["credentials as text", { type: "manual_eft", credentials: "x" }, ["credentials"]],
    ["a mode that is none", { type: "manual_eft", mode: "test", credentials: BANK }, ["mode"]],
    ["a currency that is none", { type: "manual_eft", currencies: ["XXQ"], credentials: BANK }, ["currencies", 0]],
    ["no currency", { type: "manual_eft", currencies: [], credentials: BANK }, ["currencies"]],
  ];
  for (const [what, body, path] of REFUSED)
    test(`POST with ${what}: 400 at ${path.join(".")}`, async () => {
      const answer = await live.call("POST", "/gateways", body);
      assert.deepEqual([answer.status, issuePath(answer)], [400, path]);
      assert.ok(!JSON.stringify(answer.body).includes(BANK.accountNumber));
    });

  test("type and mode cannot be changed", async () => {
    const { body } = await live.call("POST", "/gateways", { type: "manual_eft", credentials: BANK });
    const path = `/gateways/${body["id"]}`;
    assert.deepEqual(issuePath(await live.call("PATCH", path, { mode: "sandbox" })), ["mode"]);
    assert.deepEqual(issuePath(await live.call("PATCH", path, { type: "sandbox" })), ["type"]);
    assert.equal((await live.call("PATCH", path, { type: "manual_eft", mode: "live" })).status, 200);
  });

  test("DELETE removes an account that no payment used; others can only be disabled", async () => {
    const { body: unused } = await live.call("POST", "/gateways", { type: "manual_eft", credentials: BANK });
    assert.deepEqual((await live.call("DELETE", `/gateways/${unused["id"]}`)).body, unused);
    assert.equal((await live.call("DELETE", `/gateways/${unused["id"]}`)).status, 404);

    const { body: used } = await sandbox.call("POST", "/gateways", { type: "sandbox" });
    await sandbox.dashboard.services.db.transaction(sandbox.organisation.id, async (tx) => {
      tx.queue`
        insert into transactions (organisation_id, id, reference, status, amount_cents, currency, type, gateway_account_id, gateway_type,
          sandbox, created_at)
        values (${tx.organisation}, ${newId("txn")}, ${"TEFO-20261120-0000AAAA"}, 'pending', ${100}, 'ZAR', 'once', ${used["id"]},
          'sandbox', true, ${machineNow()})`;
    });
    const refused = await sandbox.call("DELETE", `/gateways/${used["id"]}`);
    assert.deepEqual([refused.status, refused.body["error"]], [409, "invalid_state"]);
    assert.match(String(refused.body["message"]), /Disable it instead/);
  });

  /** A transaction of an account, as it stands. */
  const addPayment = (account: unknown, reference: string, status: string, checkoutRef: string | null = null) =>
    sandbox.dashboard.services.db.transaction(sandbox.organisation.id, async (tx) => {
      const now = machineNow();
      tx.queue`
        insert into transactions (organisation_id, id, reference, status, amount_cents, currency, type, gateway_account_id, gateway_type,
          sandbox, checkout_ref, paid_at, created_at)
        values (${tx.organisation}, ${newId("txn")}, ${reference}, ${status}, ${1_00}, 'ZAR', 'once', ${account}, 'x', true, ${checkoutRef},
          ${status === "complete" ? now : null}, ${now})
        on conflict (organisation_id, reference) do update set status = excluded.status, paid_at = excluded.paid_at`;
    });

  test("the merchant of an account with a payment open cannot change; keys and names can, and so can that of an idle one", async () => {
    const { body: account } = await sandbox.call("POST", "/gateways", {
      type: "sandbox",
      credentials: { merchantId: "one" },
    });
    const patch = (body: object) => sandbox.call("PATCH", `/gateways/${account["id"]}`, body);
    const reference = "TEFO-20261120-0000BBBB";
    assert.equal((await patch({ credentials: { merchantId: "two" } })).status, 200);
    for (const status of ["pending", "cancelled"]) {
      await addPayment(account["id"], reference, status);
      const refused = await patch({ credentials: { merchantId: "three" } });
      assert.deepEqual([refused.status, refused.body["error"]], [409, "invalid_state"], JSON.stringify(refused.body));
      assert.match(String(refused.body["message"]), /another merchant's .* a payment .* Add another account/);
      assert.equal((await credentialsOf(sandbox, account["id"]))["merchantId"], "two");
    }
    assert.equal((await patch({ credentials: { merchantId: "two", secret: "another-secret-0123" } })).status, 200);
    assert.equal((await patch({ name: "Renamed" })).status, 200);
    await addPayment(account["id"], reference, "failed");
    assert.equal((await patch({ credentials: { merchantId: "three" } })).status, 200);
  });

  test("another organisation's account is not found, and viewers may not change theirs", async () => {
    const { body } = await live.call("POST", "/gateways", { type: "manual_eft", credentials: BANK });
    assert.equal((await sandbox.call("PATCH", `/gateways/${body["id"]}`, { enabled: false })).status, 404);
    assert.equal((await sandbox.call("DELETE", `/gateways/${body["id"]}`)).status, 404);
    assert.equal((await live.call("PATCH", `/gateways/${body["id"]}`, { enabled: false }, "viewer")).status, 403);
    assert.equal((await live.call("GET", "/gateways", undefined, "viewer")).status, 200);
  });

  test("the list goes page by page in the order in which payers see them", async () => {
    const other = await addMerchant(live.dashboard);
    for (const name of ["one", "two", "three"])
      await other.call("POST", "/gateways", { type: "manual_eft", name, credentials: BANK });
    const first = await other.call("GET", "/gateways?limit=2");
    assert.deepEqual(
      dataOf(first).map(({ name }) => name),
      ["one", "two"],
    );
    const next = await other.call("GET", `/gateways?limit=2&startingAfter=${first.body["nextCursor"]}`);
    assert.deepEqual(
      dataOf(next).map(({ name }) => name),
      ["three"],
    );
    assert.deepEqual(
      dataOf(await other.call("GET", "/gateways?q=TW")).map(({ name }) => name),
      ["two"],
    );
  });
});
