import assert from "node:assert/strict";
import { test } from "node:test";
import { formFields } from "./form.ts";

test("fields have Stripe's names; undefined values are left out, empty texts are not", () => {
  const fields = { a: 1, b: { c: true, d: { e: "x&y" } }, f: ["g", { h: "" }], i: undefined };
  assert.deepEqual(formFields(fields), { a: "1", "b[c]": "true", "b[d][e]": "x&y", "f[0]": "g", "f[1][h]": "" });
});
