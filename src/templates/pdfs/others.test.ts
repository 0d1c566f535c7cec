import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readPdf } from "../../../test/support/pdf.ts";
import { HEAD, line } from "../../../test/support/pdf-documents.ts";
import { totalsOf } from "../../kernel/lines.ts";
import { cents, ZERO } from "../../kernel/money.ts";
import { type CalendarDay, instant } from "../../kernel/time.ts";
import type { AgreementDocument, CreditNoteDocument, QuoteDocument, StatementDocument } from "../printed.ts";
import { agreementPdf } from "./agreement.ts";
import { creditNotePdf } from "./credit-note.ts";
import { quotePdf } from "./quote.ts";
import { statementPdf } from "./statement.ts";
import { vatReturnPdf } from "./vat-return.ts";

function shows(text: string, expected: readonly string[]): void {
  for (const part of expected) assert(text.includes(part), `${part} is missing in:\n${text}`);
}

describe("a quote", () => {
  const lines = [
    line("Website design", "1", "23000", { taxInclusive: true }),
    line("Hosting, per year", "2", "1499.99", { taxInclusive: true }),
  ];
  const quote: QuoteDocument = {
    ...HEAD,
    ...totalsOf(lines, true),
    number: "QUO-000007",
    status: "sent",
    lastDay: "2026-12-20" as CalendarDay,
    period: null,
    lines,
    discount: null,
    taxInclusive: true,
    paid: ZERO,
    due: cents(2_599_998),
    notes: "Includes two rounds of changes.",
    accepted: null,
    quoteUrl: "https://pay.example/q/abc",
  };

  test("tax-inclusive: amounts with VAT, and the VAT in them", async () => {
    const { text, links } = readPdf(await quotePdf(quote));
    shows(text, ["Quote QUO-000007", "Valid until 20 December 2026", "Amount incl. VAT", "View and accept"]);
    shows(text, ["Hosting, per year 2 R 1 499.99 15% R 2 999.98", "Subtotal excluding VAT R 22 608.68"]);
    shows(text, ["VAT at 15% R 3 391.30", "Total including VAT R 25 999.98", "Includes two rounds of changes."]);
    assert.deepEqual(links, ["https://pay.example/q/abc"]);
  });

  for (const [status, word] of [
    ["draft", "Draft"],
    ["expired", "Expired"],
    ["accepted", "Accepted"],
    ["declined", "Declined"],
    ["invoiced", "Invoiced"],
  ] as const)
    test(`${status}: says so, and is not offered again`, async () => {
      const { text, links } = readPdf(await quotePdf({ ...quote, status }));
      shows(text, [word]);
      assert.deepEqual(links, []);
    });

  test("says who has accepted it, and when", async () => {
    const at = instant("2026-12-01T10:00:00Z");
    const named = readPdf(await quotePdf({ ...quote, status: "accepted", accepted: { at, by: "Thandi Nkosi" } }));
    shows(named.text, ["Accepted 1 Dec 2026", "Accepted by Thandi Nkosi"]);
    const unnamed = readPdf(await quotePdf({ ...quote, status: "accepted", accepted: { at, by: null } }));
    assert.doesNotMatch(unnamed.text, /Accepted by/);
  });
});

describe("a credit note", () => {
  const reason = "Two bags of beans arrived damaged and were returned.";
  const note: CreditNoteDocument = {
    ...HEAD,
    number: "CN-000003",
    status: "partially_applied",
    lastDay: null,
    period: null,
    lines: [line(reason, "1", "570")],
    discount: null,
    taxInclusive: false,
    invoice: { number: "INV-000042", issueDate: "2026-11-01" as CalendarDay },
    transactionReference: null,
    subtotal: cents(57_000),
    tax: cents(8_550),
    total: cents(65_550),
    paid: cents(50_000),
    due: cents(15_550),
    notes: null,
  };

  test("has the particulars of section 21", async () => {
    const { text, info } = readPdf(await creditNotePdf(note));
    shows(text, ["Credit Note CN-000003", "VAT number 4012345678", "VAT number 4987654321", "Issued 20 Nov 2026"]);
    shows(text, ["14 Church Street", "22 Long Street", "Corrects invoice INV-000042", "Invoice date 1 Nov 2026"]);
    shows(text, [reason, "Value reduced by, without VAT R 570.00", "VAT at 15% reduced by R 85.50"]);
    shows(text, ["Total credit including VAT R 655.50", "Remaining R 155.50"]);
    assert.equal(info["Title"], "Credit Note CN-000003");
  });

  test("of two rates says the VAT of each, and its reason below", async () => {
    const lines = [line("A wall less", "1", "100"), line("A book less", "1", "50", { taxRate: "0" })];
    const two = { lines, subtotal: cents(15_000), tax: cents(1_500), total: cents(16_500), notes: `Reason: ${reason}` };
    const { text } = readPdf(await creditNotePdf({ ...note, ...two }));
    shows(text, ["A wall less", "A book less", "VAT at 15% reduced by R 15.00", "VAT at 0% reduced by R 0.00"]);
    shows(text, ["Total credit including VAT R 165.00", `Reason: ${reason}`]);
  });

  test("of a payment, outside VAT and long", async () => {
    const supplier = { ...HEAD.supplier, vatNumber: null };
    const recipient = { ...HEAD.recipient, vatNumber: null };
    const plain = {
      tax: ZERO,
      total: note.subtotal,
      invoice: null,
      transactionReference: "TXN-9",
      supplier,
      recipient,
    };
    const { text, pages } = readPdf(
      await creditNotePdf({ ...note, ...plain, lines: [line("Because. ".repeat(900), "1", "570", { taxRate: "0" })] }),
    );
    shows(text, ["Payment TXN-9", "Total credit R 570.00"]);
    assert.doesNotMatch(text, /VAT/);
    assert(pages.length > 1);
  });
});

test("a VAT return has its fields, totals and what is not counted", async () => {
  const start = "2026-11-01" as CalendarDay;
  const figures = [
    { field: "4", description: "Output tax on field 1", amount: cents(150_000) },
    { field: "20", description: "VAT payable, below zero refundable", amount: cents(120_000) },
  ];
  const head = { ...HEAD, period: { start, end: "2026-11-30" as CalendarDay }, basis: "Payments", figures };
  const { text } = readPdf(await vatReturnPdf({ ...head, otherCurrencies: ["USD"] }));
  shows(text, ["VAT201 1 Nov 2026 – 30 Nov 2026", "VAT payable R 1 200.00", "Basis Payments"]);
  shows(text, ["4 Output tax on field 1 R 1 500.00", "earned in USD"]);
});

describe("a statement", () => {
  const day = (date: number) => `2026-11-${String(date).padStart(2, "0")}` as CalendarDay;
  const statement: StatementDocument = {
    ...HEAD,
    period: { start: day(1), end: day(30) },
    opening: cents(125_000),
    movements: [
      { day: day(3), description: "Invoice INV-000041", amount: cents(98_765) },
      { day: day(9), description: "Payment by card", amount: cents(-150_000) },
    ],
    unpaidDebits: [],
    aging: { current: cents(48_765), days30: cents(25_000), days60: ZERO, days90: ZERO, days120: ZERO, older: ZERO },
    payUrl: "https://pay.example/s/abc",
    bank: null,
  };

  test("runs from the opening to the closing balance", async () => {
    const { text, links } = readPdf(await statementPdf(statement));
    shows(text, ["Statement 1 Nov 2026 – 30 Nov 2026", "Balance R 737.65 On 30 November 2026"]);
    shows(text, ["1 Nov 2026 Opening balance R 1 250.00", "3 Nov 2026 Invoice INV-000041 R 987.65 R 2 237.65"]);
    shows(text, ["9 Nov 2026 Payment by card -R 1 500.00 R 737.65", "30 Nov 2026 Closing balance R 737.65"]);
    shows(text, ["Not yet due R 487.65", "1 to 30 days R 250.00", "Over 120 days R 0.00"]);
    assert.deepEqual(links, ["https://pay.example/s/abc"]);
  });

  test("in the customer's favour there is nothing to pay", async () => {
    const { text, links } = readPdf(await statementPdf({ ...statement, opening: cents(-125_000) }));
    shows(text, ["In your favour R 1 762.35", "Closing balance -R 1 762.35"]);
    assert.deepEqual(links, []);
  });

  test("names debit orders that are owed beside the balance", async () => {
    const unpaid = {
      day: day(20),
      description: "Debit order of 20 November 2026, returned unpaid",
      amount: cents(35_050),
    };
    const { text } = readPdf(await statementPdf({ ...statement, unpaidDebits: [unpaid] }));
    shows(text, [
      "Also due: debit orders returned unpaid",
      "20 Nov 2026 Debit order of 20 November 2026, returned unpaid",
    ]);
    shows(text, ["R 350.50", "Closing balance R 737.65"]);
  });

  test("without movements, and with a thousand", async () => {
    shows(readPdf(await statementPdf({ ...statement, movements: [] })).text, ["Closing balance R 1 250.00"]);
    const movements = Array.from({ length: 1000 }, () => ({ day: day(2), description: "Coffee", amount: cents(100) }));
    const { text, pages } = readPdf(await statementPdf({ ...statement, movements }));
    shows(text, ["Closing balance R 2 250.00"]);
    assert.equal(text.split("Coffee R 1.00").length - 1, 1000);
    assert(
      pages.at(-1)?.some((piece) => piece.text === "Coffee"),
      "the closing balance is not alone",
    );
  });
});

describe("an agreement", () => {
  const agreement: AgreementDocument = {
    ...HEAD,
    accountReference: "DO0123456789",
    blocks: [
      { kind: "heading", text: "Authority" },
      { kind: "paragraph", text: "I authorise Karoo Coffee to collect." },
    ],
    sha256: "0123456789abcdef".repeat(4),
    signature: null,
  };
  const signature = {
    signedAt: instant("2026-11-21T08:05:00Z"),
    name: "Thandi Mokoena",
    consent: "I agree.",
    address: "203.0.113.9",
    userAgent: null,
  };

  test("has its text, the hash, and the evidence once it is signed", async () => {
    const open = readPdf(await agreementPdf(agreement)).text;
    shows(open, ["Debit order agreement DO0123456789", "Not signed", "I authorise Karoo Coffee to collect."]);
    assert.doesNotMatch(open, /Signed online/);
    const signed = readPdf(await agreementPdf({ ...agreement, signature })).text;
    shows(signed, ["Signed online by Thandi Mokoena on 21 November 2026", "Consent: I agree.", "Address: 203.0.113.9"]);
    shows(signed.replaceAll(/\s/g, ""), [agreement.sha256, "Browser:unknown"]);
  });

  test("of many pages", async () => {
    const paragraph = { kind: "paragraph", text: "A long clause. ".repeat(80) } as const;
    const blocks = Array.from({ length: 30 }, () => paragraph);
    assert.match(readPdf(await agreementPdf({ ...agreement, blocks, signature })).text, /Page 1 of [4-9]/);
  });
});
