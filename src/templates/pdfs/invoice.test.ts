import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readPdf } from "../../../test/support/pdf.ts";
import { invoiceOf, LINES, line, RECIPIENT, SUPPLIER } from "../../../test/support/pdf-documents.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import { cents, subtract, ZERO } from "../../kernel/money.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import type { InvoiceDocument } from "../printed.ts";
import { totalsByRate } from "../wording.ts";
import { invoicePdf } from "./invoice.ts";

const BOTTOM = 64;
const read = async (invoice: InvoiceDocument) => readPdf(await invoicePdf(invoice));

function shows(text: string, expected: readonly string[]): void {
  for (const part of expected) assert(text.includes(part), `${part} is missing in:\n${text}`);
}

test("every particular of a tax invoice is on it", async () => {
  const { pages, text, info, links, source } = await read(invoiceOf());
  assert.equal(pages.length, 1);
  shows(text, ["Tax Invoice INV-000042", "Issued 20 Nov 2026", "Due 4 Dec 2026", "Your order PO-7781"]);
  shows(text, [
    "Karoo Coffee Roasters (Pty) Ltd trading as Karoo Coffee 14 Church Street Graaff-Reinet 6280 VAT number 4012345678",
  ]);
  shows(text, ["Bluegum Guest House CC Thandi Mokoena 22 Long Street Cape Town 8001 VAT number 4987654321"]);
  shows(text, [
    "House blend espresso beans, 1 kg Whole beans, medium roast. Batch KC-1182. 24 R 285.00 15% R 6 840.00",
    "Monthly machine rental 1 R 1 850.50 15% R 1 850.50",
    "Brown bread (zero-rated) 12.5 R 18.75 0% R 234.38",
    "Amount excl. VAT",
    "Subtotal excluding VAT R 8 924.88",
    "VAT at 15% on R 8 690.50 R 1 303.58",
    "VAT at 0% on R 234.38 R 0.00",
    "Total including VAT R 10 228.46",
  ]);
  shows(text, ["Amount due R 10 228.46 Due by 4 December 2026 Pay online", "Account number 6212345678901"]);
  shows(text, ["Branch code 250655", "Your reference INV-000042", "Notes Beans are roasted", "Page 1 of 1"]);
  assert.deepEqual(links, ["https://pay.example/i/abc"]);
  assert(source.includes("/Alt (QR code of the page to pay on)"), "the code is described");
  assert.equal(info["Title"], "Tax Invoice INV-000042");
  assert.equal(info["Author"], SUPPLIER.companyName);
  assert.equal(info["CreationDate"], "D:20261119220000Z", "the start of 20 November in South Africa");
  for (const part of ["/Lang (en-ZA)", "/StructTreeRoot", "/Marked true", "/S /TH", "/S /H1", "/DisplayDocTitle true"])
    assert(source.includes(part), part);
});

test("the end of a very long address gives way to the particulars after it", async () => {
  const address = Array.from({ length: 100 }, (_, index) => `Place ${index}`).join("\n");
  const recipient = { ...RECIPIENT, company: "W".repeat(200), address };
  const { text, pages } = await read(invoiceOf(LINES, { recipient }));
  shows(text, ["Place 0, Place 1,", "VAT number 4987654321 thandi@bluegum.example"]);
  assert(!text.includes("Place 99"));
  assert.equal(pages.length, 2);
});

test("an invoice that cannot be paid online carries no QR code", async () => {
  const { source } = await read(invoiceOf(LINES, { payUrl: null }));
  assert(!source.includes("QR code"));
});

test("the same invoice gives the same bytes", async () => {
  assert(Buffer.from(await invoicePdf(invoiceOf())).equals(await invoicePdf(invoiceOf())));
});

describe("the title and the wording follow the invoice", () => {
  const { total } = invoiceOf();
  const part = cents(100_000);
  const cases: [name: string, change: Partial<InvoiceDocument>, shown: string[], hidden: RegExp][] = [
    ["a draft", { status: "draft" }, ["Draft invoice", "nothing is due yet"], /Tax Invoice|Pay online|Pay by bank/],
    ["overdue", { status: "overdue" }, ["Tax Invoice", "Overdue", "Was due on 4 December 2026", "Pay online"], /Paid/],
    [
      "part paid",
      { status: "partially_paid", paid: part, due: subtract(total, part) },
      ["Part paid", "Paid -R 1 000.00", "Amount due R 9 228.46"],
      /Overdue/,
    ],
    [
      "paid",
      { status: "paid", paid: total, due: ZERO },
      ["Tax Invoice", "Paid in full", "Amount due R 0.00"],
      /Pay online|Pay by bank/,
    ],
    [
      "cancelled",
      { status: "cancelled" },
      ["Cancelled invoice", "was cancelled"],
      /Tax Invoice|Pay online|Pay by bank/,
    ],
    ["no VAT number", { supplier: { ...SUPPLIER, vatNumber: null } }, ["Invoice", "VAT at 15%"], /Tax Invoice/],
    ["no customer address", { recipient: { ...RECIPIENT, address: null } }, ["Invoice"], /Tax Invoice/],
    ["a sandbox", { sandbox: true }, ["Test document: no real money"], /^$/],
    ["nothing to pay with", { payUrl: null, bank: null }, ["Amount due"], /Pay online|Pay by bank/],
    ["no due date", { lastDay: null }, ["Due now"], /Due by/],
    [
      "dollars, with the rate",
      {
        currency: "USD",
        exchange: { rate: "18.501234" as Decimal, date: "2026-11-19" as CalendarDay, source: "SARB" },
      },
      ["Tax Invoice", "1 USD = R 18.501234", "19 Nov 2026, SARB", "VAT in rand R", "Total in rand"],
      /^$/,
    ],
    ["dollars", { currency: "USD" }, ["USD 10 228.46", "USD 285.00"], /Tax Invoice|R 285/],
  ];
  for (const [name, change, shown, hidden] of cases)
    test(name, async () => {
      const { text } = await read(invoiceOf(LINES, change));
      shows(text, shown);
      assert.doesNotMatch(text, hidden);
    });

  test("a supplier outside VAT does not speak of it", async () => {
    const lines = [line("Tea", "1", "90", { taxRate: "0" })];
    const supplier = { ...SUPPLIER, vatNumber: null };
    const { text } = await read(invoiceOf(lines, { supplier, recipient: { ...RECIPIENT, vatNumber: null } }));
    assert.doesNotMatch(text, /VAT/);
    shows(text, ["Total R 90.00"]);
  });
});

describe("an invoice of many lines", () => {
  const long = "A whole scope of work in a single line. ".repeat(25);
  const invoice = invoiceOf(Array.from({ length: 200 }, (_, index) => line(`No. ${index + 1}: ${long}`, "1", "10.5")));

  test("flows over pages with its head, its number and its pages' numbers on each, and loses nothing", async () => {
    const { pages, text } = await read(invoice);
    assert(pages.length > 40, `${pages.length} pages`);
    for (const [index, page] of pages.entries()) {
      const all = page.map((piece) => piece.text).join(" ");
      shows(all, [`Page ${index + 1} of ${pages.length}`]);
      if (index > 0) shows(all, ["Karoo Coffee · Tax Invoice INV-000042"]);
      if (all.includes("scope of work")) shows(all, ["Description", "Amount excl. VAT"]);
    }
    const body = text.replaceAll(/Karoo Coffee Roasters \(Pty\) Ltd · VAT.*?Amount excl\. VAT /g, "");
    for (let number = 1; number <= 200; number++) assert(body.includes(`No. ${number}: `), `line ${number}`);
    assert.equal(text.split("scope of work").length - 1, 200 * 25);
    assertInside(pages);
  });

  test("totals never begin a page", async () => {
    for (let count = 1; count <= 40; count++) {
      const { pages } = await read(
        invoiceOf(Array.from({ length: count }, (_, i) => line(`Item ${i + 1}`, "1", "10"))),
      );
      const page = pages.find((pieces) => pieces.some(({ text }) => text.startsWith("Total")));
      assert(
        page?.some(({ text }) => text === `Item ${count}`),
        `${count} lines: the last is with the total`,
      );
      assertInside(pages);
    }
  });

  test("one line longer than a page is torn, and its last lines stay with the total", async () => {
    const { pages } = await read(invoiceOf([line("Word ".repeat(2500).trim(), "1", "10")]));
    assert.equal(pages.length > 2, true);
    const last = pages.findLast((pieces) => pieces.some(({ text }) => text.startsWith("Word")));
    assert(last?.some(({ text }) => text.startsWith("Total")));
    assertInside(pages);
  });
});

function assertInside(pages: Awaited<ReturnType<typeof read>>["pages"]): void {
  for (const { text, x, y } of pages.flat()) {
    const foot = /^Page \d|VAT number .*@/.test(text);
    assert(x >= 47 && x < 548 && y < 830 && (foot || y >= BOTTOM), `${text} at ${x}, ${y}`);
  }
}

const turned = (text: string) => Array.from(text).reverse().join("");

describe("text that others wrote", () => {
  const named = (name: string) => invoiceOf(LINES, { recipient: { ...RECIPIENT, company: name } });
  const cases: [name: string, written: string, shown: string][] = [
    ["Venda", "Ṱhohoyanḓou Ḽiṅwalo", "Ṱhohoyanḓou Ḽiṅwalo"],
    ["Afrikaans, in a built-in font", "Môreson Kafee, Šimon & Žofie", "Môreson Kafee, Šimon & Žofie"],
    ["Cyrillic", "Владимир Смирнов", "Владимир Смирнов"],
    ["Greek", "Ελένη Παπαδοπούλου", "Ελένη Παπαδοπούλου"],
    ["Khoisan clicks", "ǃKhwa ttu ǀXam", "ǃKhwa ttu ǀXam"],
    ["simplified Chinese", "李伟 & Co", "李伟 & Co"],
    ["traditional Chinese", "陳大龜 & Co", "陳大龜 & Co"],
    ["Japanese", "佐藤さくら タナカ", "佐藤さくら タナカ"],
    ["Korean", "김민준 상회", "김민준 상회"],
    ["Thai", "สมชาย ใจดี", "สมชาย ใจดี"],
    ["Hebrew, from right to left", "דוד כהן", turned("דוד כהן")],
    ["Hebrew with a number and brackets", "דוד (2020)", `(2020) ${turned("דוד")}`],
    ["Arabic, from right to left", "محمد سعيد", turned("محمد سعيد")],
    ["Arabic within English", "Café محمد سعيد Ltd", `Café ${turned("محمد سعيد")} Ltd`],
    ["emoji", "Happy 🎉 Shop ❤️", "Happy 🎉 Shop ❤"],
    ["a flag, which is one sign", "Team 🇿🇦", "Team 🇿🇦"],
    ["a family of emoji", "Family 👩‍👩‍👧 Ltd", "Family 👩👩👧 Ltd"],
    ["letters no font has", "𓀀𓀁 & Co", "\ufffd\ufffd & Co"],
    ["marks no font has", "Za\u0338\u0347lgo", "Zalgo"],
    ["control characters and marks that turn text around", "Ev\u202eil\u0000\u0007\u200b Ltd\u2066", "Evil Ltd"],
    ["half a character", "Half \ud83d Ltd", "Half \ufffd Ltd"],
    ["tabs and odd spaces", "A\tB\u2003C", "A B C"],
  ];
  for (const [name, written, shown] of cases)
    test(name, async () => {
      const { pages } = await read(named(written));
      const all = pages.flat().map(({ text }) => text);
      assert(all.join("").includes(shown), all.join("|"));
      assert(!all.join("").includes("\0"), "no sign is a box");
    });

  test("fonts are embedded only for letters that need them, each weight for itself", async () => {
    const embedded = async (name: string) =>
      Array.from((await read(named(name))).source.matchAll(/\/FontFile2/g)).length;
    assert.equal(await embedded("Karoo Coffee"), 0);
    assert.equal(await embedded("李"), 1);
    const both = invoiceOf(LINES, { recipient: { ...RECIPIENT, company: "李", name: "李" } });
    assert.equal(Array.from((await read(both)).source.matchAll(/\/FontFile2/g)).length, 2);
  });

  test("unbroken strings are broken and nothing leaves its column", async () => {
    const word = "W".repeat(1000);
    const invoice = invoiceOf([line(word, "123456.789012", "99999.999999", { details: word })], {
      notes: word,
      externalReference: word.slice(0, 200),
      recipient: { ...RECIPIENT, email: `${"x".repeat(250)}@example.com`, address: "Line\n".repeat(200) },
    });
    const { pages, text } = await read(invoice);
    assert.equal(text.split("W").length - 1, 3200);
    shows(text, ["123 456.789012", "R 99 999.999999"]);
    assertInside(pages);
  });

  test("parentheses and backslashes stay text", async () => {
    const { text, info } = await read(invoiceOf(LINES, { number: "A(\\)1", notes: "(a) \\ (b" }));
    shows(text, ["(a) \\ (b"]);
    assert.equal(info["Title"], "Tax Invoice A(\\)1");
  });
});

describe("logo", () => {
  for (const [name, logo] of [
    ["webp", Buffer.from("524946460000000057454250", "hex")],
    ["a broken PNG", Buffer.from("89504e470d0a1a0a00000000", "hex")],
    ["nothing", Buffer.alloc(0)],
  ] as const)
    test(`${name} is left out and the name stands in its place`, async () => {
      const { pages, source } = await read(invoiceOf(LINES, { supplier: { ...SUPPLIER, logo } }));
      assert.equal(pages[0]?.[0]?.text, "Karoo Coffee");
      assert.doesNotMatch(source, /\/Subtype \/Image/);
    });
});

test("a line that is exempt says so where others say their rate, and is summed apart from zero-rated ones", async () => {
  const exempt = { ...line("Room", "1", "200", { taxRate: "0" }), taxExempt: true as const };
  const { text } = await read(invoiceOf([...LINES, exempt]));
  shows(text, ["Room 1 R 200.00 Exempt R 200.00", "Brown bread (zero-rated) 12.5 R 18.75 0% R 234.38"]);
  shows(text, ["VAT at 0% on R 234.38 R 0.00", "VAT (exempt) on R 200.00 R 0.00"]);
});

test("sums by rate add up to the totals, in both tax modes", () => {
  for (const taxInclusive of [false, true]) {
    const lines = [
      line("a", "3", "9.99", { taxInclusive }),
      line("b", "1", "0.05", { taxInclusive }),
      line("c", "7", "13", { taxRate: "0", taxInclusive }),
    ];
    const rates = totalsByRate({ lines, taxInclusive });
    assert.deepEqual(
      rates.map(({ taxRate }) => taxRate),
      ["15", "0"],
    );
    const [amount, tax] = lines.reduce(([a, t], next) => [a + next.amount, t + next.tax], [0, 0]);
    assert.equal(
      rates.reduce((sum, { tax }) => sum + tax, 0),
      tax,
    );
    assert.equal(
      rates.reduce((sum, { value }) => sum + value, 0),
      taxInclusive ? amount - tax : amount,
    );
  }
});

test("a line shows its period", async () => {
  const period = { start: "2026-11-01" as CalendarDay, end: "2026-11-30" as CalendarDay };
  const { text } = await read(
    invoiceOf([{ ...LINES[0]!, periodStart: period.start, periodEnd: period.end }], { period }),
  );
  assert.equal(text.split("1 Nov 2026 – 30 Nov 2026").length - 1, 2);
});
