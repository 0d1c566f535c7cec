import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { cardResultModel } from "../../../test/support/card-page-models.ts";
import { packageModel } from "../../../test/support/checkout-page-models.ts";
import {
  fullPayModel,
  payModel,
  portalModel,
  resultModel,
  statementModel,
  UNAVAILABLE,
} from "../../../test/support/page-models.ts";
import { PAGES } from "../../../test/support/page-samples.ts";
import { fc } from "../../../test/support/property.ts";
import { cents } from "../../kernel/money.ts";
import type { Html } from "../html.ts";
import { findAsset } from "./assets/assets.ts";
import { cardSetupResultPage } from "./card-setup.ts";
import { checkoutPage } from "./checkout.ts";
import { safeHref } from "./parts.ts";
import * as pay from "./pay.ts";
import * as home from "./portal-home.ts";
import * as statement from "./portal-statement.ts";
import * as result from "./result.ts";

/** The page as a browser gets it. */
const sent =
  <Model>(page: (model: Model) => Html) =>
  (model: Model): string =>
    page(model).toString();
const payPage = sent(pay.payPage);
const unavailablePage = sent(pay.unavailablePage);
const handOffPage = sent(pay.handOffPage);
const portalHomePage = sent(home.portalHomePage);
const statementPage = sent(statement.statementPage);
const resultPage = sent(result.resultPage);

const pages = Object.entries(PAGES);
const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** Text with markup. It begins with a letter, so that it is never empty. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "' autofocus onfocus='alert(1)",
        "</title></textarea></noscript>",
        "<!--",
        "&lt;script&gt;",
        "x!",
        "\r\n",
        "كتب",
        "\u202e",
        "🧑🏾‍🍳",
      ),
      fc.string({ unit: "grapheme", maxLength: 10 }),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => `x${parts.join("")}`);

/** The page's tags without the values of attributes, which no user's text may change. */
const skeleton = (page: string): string =>
  (page.match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/"[^"]*"/g, '""')).join("\n");

describe("every page", () => {
  for (const [name, render] of pages) {
    test(`${name}: what others write stays text`, () => {
      const plain = skeleton(render("xyz"));
      fc.assert(
        fc.property(hostile, (text) => assert.equal(skeleton(render(text)), plain)),
        { numRuns: 40 },
      );
    });

    test(`${name}: what others write is escaped once, as a reader expects it`, () => {
      assert.doesNotMatch(render("Wool & Mohair"), /&amp;(#|amp;)/);
    });

    test(`${name}: one heading, one main button at most, nothing inline, nothing foreign`, () => {
      const page = render();
      assert.ok(page.startsWith('<!doctype html>\n<html lang="en-ZA">'));
      assert.equal(count(page, /<h1[ >]/g), 1);
      assert.ok(count(page, /class="button( short| main)?"/g) <= 1);
      assert.equal(count(page, /<style|\sstyle=|\son\w+=|<script(?! src="\/assets\/)|javascript:/g), 0);
      for (const [, url] of page.matchAll(/<(?:link|script|img)\b[^>]*?(?:href|src)="([^"]*)"/g))
        assert.match(url ?? "", /^\/(?!\/)/, "loaded from our own host");
    });

    test(`${name}: inputs have labels and autocomplete`, () => {
      for (const [input] of render().matchAll(/<(?:input|textarea)[^>]*>/g)) {
        if (/type="(hidden|radio|checkbox)"/.test(input)) continue;
        const id = /id="(\w+)"/.exec(input)?.[1];
        assert.match(input, /autocomplete="[a-z -]+"/);
        assert.ok(render().includes(`<label for="${id}">`), `label of ${id}`);
      }
    });
  }
});

/** Bytes of a page and of what it loads from us, compressed. */
function weightOf(page: string): number {
  const urls = [...page.matchAll(/(?:href|src)="\/assets\/([^"]*)"/g)].map(([, url]) => url ?? "");
  return [gzipSync(page), ...urls.map((url) => findAsset(url)?.gzip ?? assert.fail(url))]
    .map((file) => file.length)
    .reduce((sum, length) => sum + length, 0);
}

test("the pay page with its assets weighs far below 30 kB", () => {
  const page = payPage({ ...fullPayModel, gateways: Array.from({ length: 8 }, () => fullPayModel.gateways).flat() });
  assert.equal([...page.matchAll(/"\/assets\//g)].length, 4, "style, colour, icon, script");
  const weight = weightOf(page);
  assert.ok(weight < 12_000, `${weight} bytes`);
});

test("every page with its assets weighs below 30 kB, and a checkout of twenty plans does", () => {
  for (const [name, render] of pages) assert.ok(weightOf(render()) < 30_000, name);
  const offers = Array.from({ length: 10 }, (_, n) =>
    packageModel.offers.map((offer) => ({ ...offer, id: `${offer.id}${n}`, name: `${offer.name} ${n}` })),
  ).flat();
  const weight = weightOf(checkoutPage({ ...packageModel, offers }).toString());
  assert.ok(weight < 30_000, `${weight} bytes`);
});

describe("pay page", () => {
  test("a link for a part of an invoice tells what is open of the invoice, not of the link", () => {
    const part = payPage({ ...fullPayModel, payable: { ...fullPayModel.payable, amount: cents(10_000) } });
    assert.match(part, /Still open<\/dt><dd><span class="money">R\u00a010\u00a0000\.00</);
  });

  test("says what, to whom and how much, and offers the gateways as radios", () => {
    const page = payPage(payModel);
    assert.match(page, /<h1 dir="auto">Order 1042: three second-hand novels<\/h1>/);
    assert.match(page, /Karoo Books/);
    assert.match(page, /<button type="submit" class="button"[^>]*>Pay R\u00a01\u00a0234\.50<\/button>/);
    assert.match(page, /<form class="sheet stack" method="post">/);
    assert.match(page, /<input type="hidden" name="formToken" value="token">/);
    assert.deepEqual(
      [...page.matchAll(/name="gateway" value="(\w+)" required( checked)?/g)].map(([, id, checked]) => [id, !!checked]),
      [
        ["gw_1", true],
        ["gw_2", false],
      ],
    );
  });

  test("keeps the gateway chosen before; an unknown one, and one that is down, give the first", () => {
    assert.match(payPage({ ...payModel, chosenGateway: "gw_2" }), /value="gw_2" required checked/);
    assert.match(payPage({ ...payModel, chosenGateway: "gw_9" }), /value="gw_1" required checked/);
    const gateways = payModel.gateways.map((gateway) => ({ ...gateway, isDown: gateway.id === "gw_2" }));
    assert.match(payPage({ ...payModel, gateways, chosenGateway: "gw_2" }), /value="gw_1" required checked/);
  });

  test("asks for the fields of the model and no other", () => {
    const names = (page: string) =>
      [...page.matchAll(/<(?:input|textarea)[^>]* name="(\w+)"/g)].map(([, name]) => name);
    assert.deepEqual(names(payPage({ ...payModel, gateways: payModel.gateways.slice(0, 1), fields: [] })), [
      "gateway",
      "formToken",
    ]);
    assert.deepEqual(names(payPage(payModel)).slice(0, 3), ["email", "firstName", "lastName"]);
  });

  test("ties each error to its field, in summary, text and attribute", () => {
    const page = payPage(fullPayModel);
    assert.match(page, /<title>Not sent yet: /);
    assert.match(page, /role="alert".*<li>PayFast did not answer/s);
    assert.match(page, /<a href="#email">Complete the field email\.<\/a>/);
    assert.match(page, /id="email"[^>]*aria-invalid="true" aria-describedby="email-hint email-error"/);
  });

  test("gives back a first line that is empty, and promises a receipt only where one is mailed", () => {
    const address = { name: "address", value: "\nStreet", required: true, error: null } as const;
    assert.match(payPage({ ...payModel, fields: [address] }), /<textarea[^>]*>\n\nStreet<\/textarea>/);
    assert.match(payPage(payModel), /Your receipt goes here/);
    assert.doesNotMatch(payPage({ ...payModel, receipts: false }), /receipt/);
  });

  test("says what a recurring link takes later", () => {
    assert.match(
      payPage(fullPayModel),
      /then <span class="money">R\u00a099\.00<\/span> every 3 months, until cancelled/,
    );
    assert.match(
      payPage(fullPayModel),
      /take <span class="money">R\u00a099\.00<\/span> from your card every 3 months from now on, until you cancel\. To cancel, contact .*mailto:/s,
    );
    assert.doesNotMatch(payPage(payModel), /until you cancel|To cancel/);
  });

  test("a page of a sandbox organisation says so, a live one's does not", () => {
    assert.match(payPage(fullPayModel), /This is a test\. No money moves\./);
    assert.doesNotMatch(payPage(payModel), /test/i);
  });

  test("shows a logo of our own host only", () => {
    for (const logoUrl of [
      "https://evil.example/a.png",
      "//evil.example/a.png",
      "data:image/svg+xml;base64,AAAA",
      "data:text/html,a",
      "a.png",
    ])
      assert.doesNotMatch(payPage({ ...payModel, brand: { ...payModel.brand, logoUrl } }), /<img/, logoUrl);
    assert.match(payPage(fullPayModel), /<img src="\/logos\/karoo\.svg" alt="">/);
  });

  test("an address for questions cannot add headers to the mail", () => {
    const supportEmail = "a?bcc=b&x@example.test?cc=d";
    const page = payPage({ ...payModel, brand: { ...payModel.brand, supportEmail } });
    assert.match(page, /href="mailto:a%3Fbcc%3Db%26x@example\.test%3Fcc%3Dd"/);
  });
});

test("a card without digits is not named by the moment at which it was saved", () => {
  const card = { brand: "card", last4: "", createdAt: cardResultModel.card.createdAt };
  const saved = (model: typeof cardResultModel) => cardSetupResultPage({ ...model, outcome: "completed" }).toString();
  assert.match(saved({ ...cardResultModel, card }), /<p[^>]*>Your card is saved with /);
  assert.match(saved(cardResultModel), /<bdi>Visa ending in 4242<\/bdi> is saved with /);
});

describe("unavailable page", () => {
  for (const unavailable of UNAVAILABLE) {
    test(`${unavailable.reason}: says why and whom to ask, without a form`, () => {
      const { brand, payable } = payModel;
      const page = unavailablePage({ ...payable, brand, unavailable, pdf: null });
      assert.doesNotMatch(page, /<form|<input/);
      assert.equal(page.includes('class="button"'), unavailable.reason === "replaced", "one leads somewhere");
      assert.match(page, /mailto:hello@karoobooks\.example/);
    });
  }

  test("no two reasons read the same", () => {
    const { brand, payable } = payModel;
    const sentences = UNAVAILABLE.map(
      (unavailable) =>
        /<p class="muted">.*?<\/p>/.exec(unavailablePage({ ...payable, brand, unavailable, pdf: null }))?.[0],
    );
    assert.equal(new Set(sentences).size, UNAVAILABLE.length);
  });
});

describe("hand-off page", () => {
  const model = { ...payModel, ...payModel.payable, gatewayName: "PayFast" };
  test("sends the gateway's fields in their order", () => {
    const inputs = [
      ["merchant_id", "1"],
      ["signature", 'a"b'],
    ] as const;
    const page = handOffPage({ ...model, action: "https://gateway.example/process", inputs });
    assert.match(page, /action="https:\/\/gateway\.example\/process" data-auto/);
    assert.match(page, /name="merchant_id" value="1"><input type="hidden" name="signature" value="a&quot;b">/);
  });

  test("refuses an address that is not http(s)", () => {
    assert.throws(() => handOffPage({ ...model, action: "javascript:alert(1)", inputs: [] }), /http/);
  });
});

describe("result page", () => {
  const onward = { url: "https://shop.example/back?reference=T&status=failed", afterSeconds: 5 };

  test("pending is reloaded every 3 seconds, with and without script, and never redirects", () => {
    const page = resultPage({ ...resultModel, status: "pending", onward });
    assert.match(page, /<noscript><meta http-equiv="refresh" content="3"><\/noscript>/);
    assert.match(page, /data-status="pending" data-poll="3"/);
    assert.doesNotMatch(page, /shop\.example/);
  });

  test("a final status redirects to the merchant after its delay", () => {
    const page = resultPage({ ...resultModel, onward });
    assert.match(
      page,
      /<noscript><meta http-equiv="refresh" content="5;url=https:\/\/shop\.example\/back\?reference=T&amp;status=failed">/,
    );
    assert.match(page, /data-onward="5">Return to/);
    assert.doesNotMatch(page, /data-poll/);
  });

  test("without a return address the payer stays", () => {
    assert.doesNotMatch(resultPage(resultModel), /http-equiv|data-onward/);
  });

  test("failed and cancelled payments can be tried again, complete ones cannot", () => {
    const again = (status: "failed" | "cancelled" | "complete") =>
      /href="\/pay\/x">Try again/.test(resultPage({ ...resultModel, status, retryUrl: "/pay/x" }));
    assert.deepEqual([again("failed"), again("cancelled"), again("complete")], [true, true, false]);
  });

  test("a receipt is said to be mailed only for what is paid", () => {
    assert.match(resultPage(resultModel), /A receipt has been mailed to <bdi>thandi@example\.test/);
    assert.doesNotMatch(resultPage({ ...resultModel, status: "failed" }), /receipt/);
    assert.doesNotMatch(resultPage({ ...resultModel, receiptEmail: null }), /receipt/);
  });
});

describe("portal", () => {
  test("owed items without an online way to pay have no button; one item's button is the main one", () => {
    const { title, amount, currency } = payModel.payable;
    const home = (payUrls: (string | null)[]) =>
      portalHomePage({
        ...portalModel,
        owed: payUrls.map((payUrl) => ({ title, amount, currency, invoice: null, payUrl })),
        quotes: [],
        subscriptions: [],
      });
    assert.equal(count(home([null]), /class="button/g), 0);
    assert.equal(count(home(["/pay/a"]), /class="button short"/g), 1);
    assert.equal(count(home(["/pay/a", "/pay/b"]), /class="button short quiet"/g), 2);
    assert.match(home([]), /Nothing to pay/);
  });

  test("an invoice says when it is due or was, and what is paid of it; each PDF says of what it is", () => {
    const page = portalHomePage(portalModel);
    assert.match(page, /<span class="bad-text">Was due 10 November 2026<\/span>/);
    assert.match(page, /<span>Due 4 December 2026<\/span>/);
    assert.match(page, /R\u00a0234\.50 of R\u00a01\u00a0234\.50 is paid/);
    for (const title of ["Invoice INV-000017", "Invoice INV-000012", "Credit note CN-000002"])
      assert.ok(page.includes(`>PDF<span class="unseen"> of ${title}</span></a>`), title);
  });

  test("credit of the customer is shown in words, not as a negative amount", () => {
    const page = statementPage(statementModel);
    assert.match(page, /<span>Owed before 1 October 2026<\/span><span class="money">R\u00a0100\.00/);
    assert.match(
      page,
      /<h2>In your favour on 20 November 2026<\/h2><p class="total"><span class="money">R\u00a050\.00/,
    );
  });
});

test("links lead to http(s) addresses or our own paths only", () => {
  const good = ["/pay/x", "https://shop.example/a?b=c#d", "http://localhost:3000/", "/"];
  const bad = ["javascript:alert(1)", "JAVASCRIPT:x", "data:text/html,x", "//evil.example", "/\\evil.example", "pay/x"];
  for (const target of good) assert.equal(safeHref(target), target);
  for (const target of [...bad, "", " https://a.example", "https://a.example/\n", "https://", "/\t/evil.example"])
    assert.equal(safeHref(target), null, target);
  fc.assert(
    fc.property(fc.string(), fc.constantFrom("", "javascript:", "https://", "/", "vbscript:"), (text, scheme) => {
      const href = safeHref(scheme + text);
      assert.ok(href === null || /^(\/(?![/\\])|https?:\/\/)/i.test(href));
    }),
  );
});
