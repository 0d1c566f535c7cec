import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { newWebhookSecret } from "../../../src/platform/webhook-signing.ts";
import { openApi } from "../../../test/support/api.ts";
import { addTransfers } from "../../../test/support/eft.ts";
import { ROOT } from "../../../test/support/source.ts";
import { delivered, eventOf, nowSeconds, SECRET } from "../../typescript/test/deliveries.ts";

const PACKAGE = join(ROOT, "clients/python");

/** Python of a version that the client is for. */
const hasPython = (): boolean =>
  spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 10))"]).status === 0;

/** Deliveries with whether they are signed, as lines of JSON. */
function deliveries(): string {
  const event = eventOf("inv_1", 1);
  const next = newWebhookSecret();
  const given = delivered(event);
  return [
    { ...given, secret: SECRET, isSigned: true },
    { ...delivered(event, [next, SECRET]), secret: SECRET, isSigned: true },
    { ...given, secret: ["whsec_other", SECRET], isSigned: true },
    { ...given, secret: next, isSigned: false },
    { ...given, body: given.body.replace("inv_1", "inv_2"), secret: SECRET, isSigned: false },
    { ...delivered(event, [SECRET], nowSeconds() - 310), secret: SECRET, isSigned: false },
    { body: given.body, headers: {}, secret: SECRET, isSigned: false },
  ]
    .map((one) => JSON.stringify(one))
    .join("\n");
}

test("the Python client, of the real service", async (t) => {
  if (!hasPython()) {
    t.diagnostic("left out: this machine has no python3 of version 3.10 or later");
    return;
  }
  const api = await openApi();
  t.after(() => api.close());
  const shop = await api.addMerchant();
  await addTransfers(shop);
  const env = {
    ...process.env,
    PYTHONPATH: PACKAGE,
    PYTHONDONTWRITEBYTECODE: "1",
    BASE_URL: api.baseUrl,
    TEFO_KEY: shop.key,
  };
  const child = spawn("python3", [join(PACKAGE, "test/check.py")], { env, stdio: ["pipe", "pipe", "pipe"] });
  child.stdin.end(deliveries());
  const [output, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  assert.equal(code, 0, output);
  assert.match(output, /Ran 10 tests/);
});

test("its package has the service's version", () => {
  const [, version = ""] = /^version = "(.*)"$/m.exec(readFileSync(join(PACKAGE, "pyproject.toml"), "utf8")) ?? [];
  const service = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  assert.equal(version.replace("rc", "-rc."), service.version);
});
