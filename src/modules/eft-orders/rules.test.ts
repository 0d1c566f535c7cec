import assert from "node:assert/strict";
import { test } from "node:test";
import { newEftReference } from "../../domain/new-references.ts";
import { codePoints } from "../../kernel/text.ts";
import { instant } from "../../kernel/time.ts";
import { proofDownloadName, proofFileName, reminderAt } from "./rules.ts";

const MADE = instant("2027-01-01T10:00:00Z");
const REMINDERS: [string, string | null][] = [
  ["2027-01-08T10:00:00Z", "2027-01-06T10:00:00.000Z"],
  ["2027-01-04T10:00:00Z", "2027-01-02T10:00:00.000Z"],
  ["2027-01-04T09:59:59Z", null],
  ["2027-01-02T10:00:00Z", null],
  ["2028-01-02T10:00:00Z", "2027-12-31T10:00:00.000Z"],
];
for (const [expiresAt, expected] of REMINDERS)
  test(`an order that expires at ${expiresAt} is reminded of ${expected ?? "never"}`, () =>
    assert.equal(reminderAt({ createdAt: MADE, expiresAt: instant(expiresAt) })?.toISOString() ?? null, expected));

const NAMES: [string, string][] = [
  ["slip.pdf", "slip.pdf"],
  ["Betaling – bewys (Januarie).pdf", "Betaling – bewys (Januarie).pdf"],
  ["../../etc/passwd", "passwd"],
  ["C:\\Users\\thandi\\slip.pdf", "slip.pdf"],
  ["a\r\nSet-Cookie: x=1.pdf", "aSet-Cookie: x=1.pdf"],
  ["slip\u202efdp.exe", "slipfdp.exe"],
  ["\0\0", "proof.pdf"],
  ["", "proof.pdf"],
  ["folder/", "proof.pdf"],
  ["\ud800.pdf", ".pdf"],
  ["  slip.pdf  ", "slip.pdf"],
];
for (const [given, expected] of NAMES)
  test(`a file called ${JSON.stringify(given)} is kept as ${expected}`, () =>
    assert.equal(proofFileName(given, "application/pdf"), expected));

test("a name is cut to 200 characters", () =>
  assert.equal(codePoints(proofFileName("😀".repeat(300), "image/png")), 200));

test("the name of a downloaded proof has nothing of the uploaded name", () =>
  assert.equal(proofDownloadName("EFT-ABCD2345", 2, "image/jpeg"), "EFT-ABCD2345-proof-2.jpg"));

test("references use the characters of interface 2.2, and no two of many are equal", () => {
  const many = Array.from({ length: 2000 }, newEftReference);
  for (const reference of many) assert.match(reference, /^EFT-[2-9A-HJKMNP-Z]{8}$/);
  assert.equal(new Set(many).size, many.length);
  assert.equal(new Set(many.join("").replaceAll("EFT-", "")).size, 31, "every letter comes up");
});
