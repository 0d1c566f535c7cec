import assert from "node:assert/strict";
import { test } from "node:test";
import { browserName } from "./browsers.ts";

test("a browser is named by its User-Agent", () => {
  const cases = [
    [null, "Unknown"],
    ["curl/8.5", "curl/8.5"],
    [
      "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140 Safari/537.36",
      "Chrome, Windows",
    ],
    ["Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140 Safari/537.36 Edg/140", "Edge, Windows"],
    ["Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18 Mobile Safari/604.1", "Safari, iPhone or iPad"],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140) Gecko/20100101 Firefox/140", "Firefox, Linux"],
  ] as const;
  for (const [agent, name] of cases) assert.equal(browserName(agent), name);
});
