import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { openApi } from "../../../test/support/api.ts";
import { openCardShop } from "../../../test/support/cards.ts";
import { ROOT } from "../../../test/support/source.ts";

const PLUGIN = join(ROOT, "integrations/woocommerce");
const LEFT_OUT = "left out: this machine has no php of version 8.1 or later with curl and mbstring";

/** Those that the guide names. */
const SCOPES = ["payment_links:write", "transactions:read", "refunds:write", "customers:write", "cards:write"] as const;

/** PHP of a version that the plug-in is for. */
const HAS_PHP =
  spawnSync("php", [
    "-r",
    'exit(PHP_VERSION_ID >= 80100 && extension_loaded("curl") && extension_loaded("mbstring") ? 0 : 1);',
  ]).status === 0;

test("the WooCommerce plug-in, of the real service, with WordPress stood in for", async (t) => {
  if (!HAS_PHP) return t.diagnostic(LEFT_OUT);
  const api = await openApi();
  t.after(() => api.close());
  const { shop, account, staff } = await openCardShop(api);
  const origins = await staff("PUT", "/allowed-return-urls", { origins: ["https://shop.example"] });
  assert.equal(origins.status, 200, origins.text);
  const env = {
    ...process.env,
    BASE_URL: api.baseUrl,
    TEFO_KEY: shop.key,
    SHOP_KEY: (await shop.addKey(["charge_saved_cards"], { scopes: SCOPES })).key,
    LIMITED_KEY: (await shop.addKey([])).key,
    GATEWAY: account.id,
  };
  const child = spawn("php", [join(PLUGIN, "test/check.php")], { env, stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  assert.equal(code, 0, output + errors);
  assert.match(output, /Ran 10 tests/);
});

test("its files are PHP", (t) => {
  if (!HAS_PHP) return t.diagnostic(LEFT_OUT);
  const files = readdirSync(PLUGIN, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".php"));
  assert.ok(files.length > 15);
  for (const file of files) execFileSync("php", ["-l", file], { cwd: PLUGIN, stdio: "pipe" });
});
