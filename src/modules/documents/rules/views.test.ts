import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { instant } from "../../../kernel/time.ts";
import { isProgram, isRepeatedView } from "./views.ts";

describe("whether a program opened the page", () => {
  const ROWS: [string, string | undefined, boolean][] = [
    [
      "a phone",
      "Mozilla/5.0 (Linux; Android 14; SM-A146P) AppleWebKit/537.36 Chrome/131.0 Mobile Safari/537.36",
      false,
    ],
    [
      "an iPhone",
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Safari/604.1",
      false,
    ],
    ["Firefox", "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0", false],
    ["a search engine", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", true],
    ["a preview", "WhatsApp/2.23.20.0 A", true],
    ["a preview that calls itself a browser", "Mozilla/5.0 (compatible; BingPreview/1.0b)", true],
    ["a messenger", "facebookexternalhit/1.1", true],
    ["nobody", undefined, true],
  ];
  for (const [what, userAgent, expected] of ROWS) test(what, () => assert.equal(isProgram(userAgent), expected));
});

test("views within five minutes are one visit", () => {
  const viewedAt = instant("2027-03-01T10:00:00Z");
  const last = { viewedAt, lastViewedAt: viewedAt };
  assert.equal(isRepeatedView(last, instant("2027-03-01T10:04:59Z")), true);
  assert.equal(isRepeatedView(last, instant("2027-03-01T10:05:00Z")), false);
});
