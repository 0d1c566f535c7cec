import assert from "node:assert/strict";
import { test } from "node:test";
import { checkCredentials, keyFault, secretKeyIsFor } from "./credentials.ts";
import { manualEft } from "./manual-eft/adapter.ts";
import { sandbox } from "./sandbox/adapter.ts";

const ACCOUNT = {
  bankName: "First National Bank",
  accountName: "Acme (Pty) Ltd",
  accountNumber: "6212 345 6789",
  branchCode: "250655",
};

/** Messages by field. */
function faults(given: Record<string, unknown>, kept?: Record<string, string>): Record<string, string> {
  const checked = checkCredentials(manualEft.credentialFields, given, kept);
  if (checked.kind === "fits") return {};
  return Object.fromEntries(checked.issues.map(({ path, message }) => [path.join("."), message]));
}

const fits = (given: Record<string, unknown>, kept?: Record<string, string>) => {
  const checked = checkCredentials(manualEft.credentialFields, given, kept);
  assert.equal(checked.kind, "fits");
  return checked.kind === "fits" ? checked.credentials : {};
};

const WRONG: [string, Record<string, unknown>, Record<string, string>][] = [
  [
    "nothing given",
    {},
    {
      "credentials.bankName": "Bank is required.",
      "credentials.accountName": "Account name is required.",
      "credentials.accountNumber": "Account number is required.",
      "credentials.branchCode": "Branch code is required.",
    },
  ],
  ["blank", { ...ACCOUNT, bankName: "  " }, { "credentials.bankName": "Bank is required." }],
  ["not text", { ...ACCOUNT, branchCode: 250655 }, { "credentials.branchCode": "Branch code must be text." }],
  [
    "misspelt",
    { ...ACCOUNT, accountNr: "1" },
    {
      "credentials.accountNr":
        "Not a credential of this gateway. It takes: bankName, accountName, accountNumber, branchCode, accountType.",
    },
  ],
  [
    "not an account number",
    { ...ACCOUNT, accountNumber: "62-" },
    {
      "credentials.accountNumber": "Account number does not look right: 4 to 34 digits or letters.",
    },
  ],
  [
    "too long",
    { ...ACCOUNT, bankName: "b".repeat(501) },
    {
      "credentials.bankName": "Bank must be at most 500 characters.",
    },
  ],
  [
    "not storable",
    { ...ACCOUNT, bankName: "a\0b" },
    {
      "credentials.bankName": "Bank holds characters that cannot be stored.",
    },
  ],
  [
    "two lines",
    { ...ACCOUNT, bankName: "a\nb" },
    {
      "credentials.bankName": "Bank does not look right: at most 60 characters.",
    },
  ],
];
for (const [what, given, expected] of WRONG) test(`refused: ${what}`, () => assert.deepEqual(faults(given), expected));

test("values are trimmed, and what has a fallback may be left out", () => {
  assert.deepEqual(fits({ ...ACCOUNT, bankName: " FNB " }), { ...ACCOUNT, bankName: "FNB", accountType: "current" });
});

test("a change keeps fields that are not given, and null removes one", () => {
  const kept = { ...ACCOUNT, accountType: "savings" };
  assert.deepEqual(fits({ bankName: "Absa" }, kept), { ...kept, bankName: "Absa" });
  assert.deepEqual(faults({ bankName: null }, kept), { "credentials.bankName": "Bank is required." });
  assert.equal(fits({ accountType: null }, kept)["accountType"], "current");
});

test("a sandbox account gets a merchant id and a secret of its own, and keeps them", () => {
  const make = (given: Record<string, unknown>, kept?: Record<string, string>) => {
    const checked = checkCredentials(sandbox.credentialFields, given, kept);
    assert.equal(checked.kind, "fits");
    return checked.kind === "fits" ? checked.credentials : {};
  };
  const [first, second] = [make({}), make({})];
  assert.match(first["merchantId"] ?? "", /^sbm_[0-9a-f]{16}$/);
  assert.match(first["secret"] ?? "", /^[\w-]{43}$/);
  assert.notEqual(first["merchantId"], second["merchantId"]);
  assert.notEqual(first["secret"], second["secret"]);
  assert.deepEqual(make({}, first), first);
  assert.equal(make({ merchantId: "acme" })["merchantId"], "acme");
});

test("messages never quote a value", () => {
  const secret = "ü".repeat(20);
  const checked = checkCredentials(sandbox.credentialFields, { secret });
  assert.equal(checked.kind, "wrong");
  assert.doesNotMatch(JSON.stringify(checked), /ü/);
});

const KEYS: [string, "live" | "sandbox" | null][] = [
  ["sk_live_a1", "live"],
  ["sk_test_a1", "sandbox"],
  ["rk_live_a1", "live"],
  ["rk_test_a1", "sandbox"],
  ["sk_a1", null],
  ["sk_a1_live_b", null],
  ["", null],
];
for (const [secretKey, mode] of KEYS)
  test(`the key "${secretKey}" is for ${mode ?? "either mode"}`, () => {
    assert.equal(secretKeyIsFor({ secretKey }), mode);
    for (const account of ["live", "sandbox"] as const) {
      const call = { credentials: { secretKey }, mode: account };
      const adapter = { name: "Pay", keysAreFor: secretKeyIsFor };
      const fault = keyFault(adapter, { ...call, baseUrl: null });
      assert.equal(fault === null, mode === null || mode === account, `${account}: ${fault}`);
      assert.ok(secretKey === "" || !fault?.includes(secretKey));
      assert.equal(keyFault(adapter, { ...call, baseUrl: "http://127.0.0.1:9000" }), null);
      assert.equal(keyFault({ name: "Pay" }, { ...call, baseUrl: null }), null);
    }
  });
