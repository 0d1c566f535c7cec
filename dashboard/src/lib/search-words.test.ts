import assert from "node:assert/strict";
import { test } from "node:test";
import { ALSO_CALLED, isMeant } from "./search-words.ts";

test("words mean a page when each begins one of its words", () => {
  const words = `VAT return ${ALSO_CALLED["accounting/vat-return"]}`;
  for (const text of ["", "vat", "VAT201", "return v", "sars"]) assert.equal(isMeant(text, words), true, text);
  for (const text of ["at", "vat invoice", "201"]) assert.equal(isMeant(text, words), false, text);
});
