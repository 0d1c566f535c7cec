import assert from "node:assert/strict";
import { test } from "node:test";
import { signatureFault } from "./signing.ts";

/** The documented example of the scheme, with Svix's names of the headers. */
const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3";
const HEADERS = {
  "svix-id": "msg_example",
  "svix-timestamp": "1700000000",
  "svix-signature": "v1,RIZU29rzyLXtEWvw52tZ2DxDPxAEsfS9yg6MperNkLU=",
};
const faultAt = (seconds: number, headers: Record<string, string> = HEADERS, body = "{}") =>
  signatureFault(SECRET, { headers, rawBody: Buffer.from(body) }, new Date((1_700_000_000 + seconds) * 1000));

for (const [seconds, genuine] of [
  [0, true],
  [300, true],
  [301, false],
  [-300, true],
  [-301, false],
] as const)
  test(`the documented signature is ${genuine ? "taken" : "refused"} ${seconds} s off`, () =>
    assert.equal(faultAt(seconds) === null, genuine));

test("another body, id or prefix is refused", () => {
  assert.match(faultAt(0, HEADERS, "{} ") ?? "", /wrong/);
  assert.match(faultAt(0, { ...HEADERS, "svix-id": "msg_other" }) ?? "", /wrong/);
  const other = Object.entries(HEADERS).map(([name, value]) => [name.replace("svix", "webhook"), value]);
  assert.match(faultAt(0, Object.fromEntries(other)) ?? "", /no signature/);
});
