import assert from "node:assert/strict";
import { test } from "node:test";
import { signatureFault } from "./signing.ts";

/** The documented example. */
const SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3";
const HEADERS = {
  "webhook-id": "msg_example",
  "webhook-timestamp": "1700000000",
  "webhook-signature": "v1,RIZU29rzyLXtEWvw52tZ2DxDPxAEsfS9yg6MperNkLU=",
};
const at = (seconds: number) => new Date((1_700_000_000 + seconds) * 1000);
const faultAt = (seconds: number, headers: Record<string, string> = HEADERS, body = "{}", secret = SECRET) =>
  signatureFault(secret, { headers, rawBody: Buffer.from(body) }, at(seconds));

for (const [seconds, genuine] of [
  [0, true],
  [180, true],
  [181, false],
  [-180, true],
  [-181, false],
] as const)
  test(`the documented signature is ${genuine ? "taken" : "refused"} ${seconds} s off`, () =>
    assert.equal(faultAt(seconds) === null, genuine));

test("another body, id, secret or scheme is refused", () => {
  assert.match(faultAt(0, HEADERS, "{} ") ?? "", /wrong/);
  assert.match(faultAt(0, { ...HEADERS, "webhook-id": "msg_other" }) ?? "", /wrong/);
  assert.match(faultAt(0, HEADERS, "{}", "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA") ?? "", /wrong/);
  assert.match(faultAt(0, HEADERS, "{}", "") ?? "", /no signature/);
  const svix = Object.fromEntries(
    Object.entries(HEADERS).map(([name, value]) => [name.replace("webhook", "svix"), value]),
  );
  assert.match(faultAt(0, svix) ?? "", /no signature/);
});
