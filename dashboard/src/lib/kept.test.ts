import assert from "node:assert/strict";
import { test } from "node:test";
import { withKept, withoutSecrets } from "./kept.ts";

test("what is secret is not kept, wherever it stands", () => {
  const values = {
    name: "Karoo",
    password: "a",
    credentials: { merchantId: "1", passphrase: "b" },
    bank: { accountNumber: "62", accountHolder: "N", branchCode: "250655" },
    lines: [{ description: "Planks", apiKey: "c", code: "planks" }],
    idNumber: "80",
    note: null,
  };
  assert.deepEqual(withoutSecrets(values), {
    name: "Karoo",
    bank: { accountHolder: "N", branchCode: "250655" },
    lines: [{ description: "Planks", code: "planks" }],
    note: null,
  });
});

test("kept values come back to their places, and what was not kept stays as the form has it", () => {
  const values = { name: "", bank: { accountNumber: "", accountHolder: "" }, lines: [{ description: "" }] };
  const kept = { name: "Karoo", bank: { accountHolder: "N" }, lines: [{ description: "a" }, { description: "b" }] };
  assert.deepEqual(withKept(values, kept), {
    name: "Karoo",
    bank: { accountNumber: "", accountHolder: "N" },
    lines: [{ description: "a" }, { description: "b" }],
  });
});
