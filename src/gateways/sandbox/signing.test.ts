import assert from "node:assert/strict";
import { test } from "node:test";
import { timedSignatureFault } from "../signatures.ts";
import { SIGNATURE_HEADER, signedHeaders } from "./signing.ts";

const SECRET = "sandbox-secret-of-one-account";
const BODY = '{"id":"sbn_1","amount":1999,"name":"Zoë"}';
const AT = new Date("2026-11-20T10:00:00.400Z");
/** Made with `printf '%s' "1795168800.$BODY" | openssl dgst -sha256 -hmac "$SECRET"`. */
const KNOWN = "f9aa09290a7e77e95f745053c7605dee3df52ad8bb3b3ede81d0a3b5ee911675";

const later = (seconds: number) => new Date(Math.floor(AT.getTime() / 1000) * 1000 + seconds * 1000);
const headers = signedHeaders(SECRET, BODY, AT);
const signature = headers[SIGNATURE_HEADER] ?? "";

test("the signature is what any HMAC tool makes of time, dot and body", () => {
  assert.equal(signature, `t=1795168800,v1=${KNOWN}`);
  assert.equal(headers["content-type"], "application/json");
});

const WRONG = "The signature is wrong.";
const MISSING = "The signature is missing.";
const OLD = "The signature is too old.";
const CASES: [what: string, string | undefined, string, string, Date, string | null][] = [
  ["as sent", signature, BODY, SECRET, AT, null],
  ["300 s later", signature, BODY, SECRET, later(300), null],
  ["301 s later", signature, BODY, SECRET, later(301), OLD],
  ["300 s ahead", signature, BODY, SECRET, later(-300), null],
  ["301 s ahead", signature, BODY, SECRET, later(-301), OLD],
  ["amount changed", signature, BODY.replace("1999", "9999"), SECRET, AT, WRONG],
  ["written otherwise", signature, JSON.stringify(JSON.parse(BODY), null, 1), SECRET, AT, WRONG],
  ["a byte more", signature, `${BODY}\n`, SECRET, AT, WRONG],
  ["another account's secret", signature, BODY, "sandbox-secret-of-another", AT, WRONG],
  ["time moved to look recent", signature.replace("1795168800", "1795168801"), BODY, SECRET, AT, WRONG],
  ["signature cut short", signature.slice(0, -1), BODY, SECRET, AT, WRONG],
  ["signature in capitals", `t=1795168800,v1=${KNOWN.toUpperCase()}`, BODY, SECRET, AT, WRONG],
  ["another scheme", signature.replace("v1=", "v0="), BODY, SECRET, AT, MISSING],
  ["one of two signatures right", `${signature},v1=00`, BODY, SECRET, AT, null],
  ["time only", "t=1795168800", BODY, SECRET, AT, MISSING],
  ["no time", `v1=${KNOWN}`, BODY, SECRET, AT, MISSING],
  ["empty", "", BODY, SECRET, AT, MISSING],
  ["absent", undefined, BODY, SECRET, AT, MISSING],
];
for (const [what, header, body, secret, at, fault] of CASES)
  test(`${what}: ${fault ?? "accepted"}`, () =>
    assert.equal(timedSignatureFault(secret, header, Buffer.from(body), at), fault));

test("a body that is no UTF-8 is compared byte by byte", () => {
  const bytes = Buffer.from([0xff, 0xfe]);
  const signed = signedHeaders(SECRET, bytes.toString(), AT)[SIGNATURE_HEADER];
  assert.equal(timedSignatureFault(SECRET, signed, bytes, AT), WRONG);
});
