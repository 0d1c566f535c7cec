import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { camt, csv, entry, moved, ofx, read } from "../../../test/support/bank-statements.ts";
import type { ColumnMapping } from "./mapping.ts";
import { previewStatement } from "./preview.ts";

/** A statement with a sale and money given back; `headings` after date and description. */
const two = (headings: string, sale: string, back: string) =>
  csv(`Date,Description,${headings}`, `2027-06-07,SALES,${sale}`, `2027-06-09,GIVEN BACK,${back}`);
const IN_AND_OUT = [100_000, -25_000];

describe("direction is read or asked for", () => {
  const READ: [string, string, number[], ColumnMapping?][] = [
    ["minus", two("Amount", "1000.00", "-250.00"), IN_AND_OUT],
    ["Cr on credits alone", two("Amount", "1000.00Cr", "250.00"), IN_AND_OUT],
    ["Dr on debits alone", two("Amount", "1000.00", "250.00 Dr"), IN_AND_OUT],
    ["C and D behind", two("Amount", "1000.00 C", "250.00 D"), IN_AND_OUT],
    ["Dr/Cr", two("Amount,Dr/Cr", "1000.00,Cr", "250.00,Dr"), IN_AND_OUT],
    ["D/C", two("Amount,D/C", "1000.00,C", "250.00,D"), IN_AND_OUT],
    ["D/C of debits alone", two("Amount,D/C", "1000.00,", "250.00,D"), IN_AND_OUT],
    ["a column Cr", two("Amount,Cr", "1000.00,Cr", "250.00,"), IN_AND_OUT],
    ["Debit/Credit Indicator", two("Amount,Debit/Credit Indicator", "1000.00,CRDT", "250.00,DBIT"), IN_AND_OUT],
    ["Type", two("Amount,Type", "1000.00,Credit", "250.00,Debit"), IN_AND_OUT],
    ["Transaction Type", two("Transaction Type,Amount", "Deposit,1000.00", "Withdrawal,250.00"), IN_AND_OUT],
    ["Type beside signs", two("Amount,Type", "1000.00,EFT", "-250.00,EFT"), IN_AND_OUT],
    ["a column without a heading", two("Amount,,Balance", "1000.00,Cr,5000.00", "250.00,Dr,4750.00"), IN_AND_OUT],
    ["a mapping", two("Bedrag,Rigt", "1000.00,Kt", "250.00,Dt"), IN_AND_OUT, { direction: "Rigt", amount: "Bedrag" }],
    ["what is said of amounts without a sign", two("Amount,Type", "1,EFT", "2,EFT"), [100, 200], { unsigned: "in" }],
    ["what is said, the other way", two("Amount", "-1000.00", "250.00"), IN_AND_OUT, { unsigned: "out" }],
    ["OFX without signs", ofx(moved("CREDIT", "1000.00"), moved("DEBIT", "250.00")), IN_AND_OUT],
    ["OFX of a fee without a sign", ofx(moved("DEP", "1000.00"), moved("SRVCHG", "250.00")), IN_AND_OUT],
    ["OFX with signs", ofx(moved("OTHER", "1000.00"), moved("FEE", "-250.00")), IN_AND_OUT],
    ["OFX of a debit without a sign among others", ofx(moved("FEE", "-1.00"), moved("DEBIT", "2.00")), [-100, -200]],
    ["OFX of deposits alone", ofx(moved("INT", "1.00"), moved("DIV", "2.00")), [100, 200]],
    ["OFX without types", ofx(moved("", "2.00")), [200]],
    ["OFX of a transfer with a plus", ofx(moved("XFER", "+1.00")), [100]],
    ["OFX of a credit that is taken back", ofx(moved("DEP", "-1.00"), moved("INT", "-2.00")), [-100, -200]],
    ["OFX whose answer is in", ofx(moved("DEBIT", "10"), moved("XFER", "7")), [-1000, 700], { unsigned: "in" }],
    ["OFX whose answer is out", ofx(moved("CREDIT", "10"), moved("XFER", "7")), [1000, -700], { unsigned: "out" }],
    [
      "OFX with a plus everywhere, and out",
      ofx(moved("DEBIT", "+10"), moved("XFER", "+7")),
      [-1000, -700],
      { unsigned: "out" },
    ],
    [
      "OFX of a fee given back, as is said",
      ofx(moved("FEE", "5"), moved("FEE", "-2")),
      [500, -200],
      { unsigned: "in" },
    ],
    [
      "columns of their own that are right, as is said",
      two("Debit,Credit,Balance", ",10,100", ",5,95"),
      [1000, 500],
      { unsigned: "in" },
    ],
    [
      "columns of their own, the other way round",
      two("Debit,Credit,Balance", "10,,100", ",5,95"),
      [1000, -500],
      { debit: "Credit", credit: "Debit" },
    ],
    [
      "signs the other way round, as is said",
      two("Amount,Balance", "-1000.00,5000.00", "250.00,4750.00"),
      IN_AND_OUT,
      { unsigned: "out" },
    ],
    ["money in and out beside an amount", two("Amount,Debit,Credit", "1000.00,,1000.00", "250.00,250.00,"), IN_AND_OUT],
    ["CAMT.053", camt(entry("1000.00", "CRDT") + entry("250.00", "DBIT")), IN_AND_OUT],
  ];
  for (const [name, file, amounts, mapping] of READ)
    test(name, async () =>
      assert.deepEqual(
        (await read(file, mapping ?? null)).lines.map(({ amount }) => amount),
        amounts,
      ),
    );

  for (const type of ["DEBIT", "FEE", "SRVCHG", "ATM", "POS", "CHECK", "PAYMENT", "REPEATPMT", "DIRECTDEBIT", "CASH"])
    for (const written of ["250.00", "+250.00"])
      for (const other of [[], [moved("CREDIT", "9")], [moved("CREDIT", "+9")], [moved("OTHER", "-9")]])
        test(`OFX: ${type} of ${written} beside ${other.join("").slice(0, 60)} is money out, with a warning`, async () => {
          const { lines, warnings } = await read(ofx(...other, moved(type, written)));
          assert.equal(lines.at(-1)?.amount, -25_000);
          assert.match(warnings.map(({ message }) => message).join(), new RegExp(`TRNTYPE says ${type}`));
        });

  const ASSUMED: [string, string, boolean, ColumnMapping?][] = [
    ["nothing says a side", two("Amount", "1", "2"), true],
    ["one row with a balance", csv("Date,Description,Amount,Balance", "2027-06-08,a,1,10"), true],
    ["a balance that proves it", two("Amount,Balance", "1,10", "2,12"), false],
    ["a sign", two("Amount", "1", "-2"), false],
    ["a type", two("Amount,Type", "1,Cr", "2,Cr"), false],
    ["what is said", two("Amount", "1", "2"), false, { unsigned: "in" }],
    ["a column of its own", two("Debit,Credit", ",1", ",2"), false],
    ["OFX without types", ofx(moved("", "2.00")), true],
    ["OFX with types", ofx(moved("CREDIT", "2.00")), false],
  ];
  for (const [name, file, warned, mapping] of ASSUMED)
    test(`money in is ${warned ? "" : "not "}assumed: ${name}`, async () => {
      const said = (all: readonly { message: string }[]) =>
        all.filter(({ message }) => /read as money in/.test(message));
      assert.equal(said((await read(file, mapping ?? null)).warnings).length, warned ? 1 : 0);
      assert.equal(said((await previewStatement(Buffer.from(file), mapping ?? null)).warnings).length, warned ? 1 : 0);
    });

  const ASKED: [string, string, RegExp][] = [
    [
      "OFX of transfers alone",
      ofx(moved("XFER", "7.00"), moved("OTHER", "8.00")),
      /TRNTYPE: .*XFER in column TRNTYPE says neither/,
    ],
    ["OFX of a type that nobody knows", ofx(moved("HOLD", "7.00"), moved("CREDIT", "8.00")), /HOLD in column TRNTYPE/],
    ["OFX whose types say too little", ofx(moved("DEBIT", "1.00"), moved("XFER", "2.00")), /XFER in column TRNTYPE/],
    ["OFX without a type beside others", ofx(moved("DEBIT", "1.00"), moved("", "2.00")), /2.00 has no sign/],
    [
      "signs that every balance turns",
      csv("Date,Description,Amount,Balance", "2027-06-07,a,-100,1100", "2027-06-08,b,40,1060", "2027-06-09,c,-10,1070"),
      /Line 3, column Balance: every balance moves against/,
    ],
    [
      "columns of their own that every balance turns",
      csv(
        "Date,Description,Debit,Credit,Balance",
        "2027-06-07,a,100,,1100",
        "2027-06-08,b,,40,1060",
        "2027-06-09,c,10,,1070",
      ),
      /Line 3, column Balance: every balance moves against/,
    ],
    [
      "Type in words that may be both",
      two("Amount,Type", "1000.00,Deposit", "250.00,Payment"),
      /Line 3, .*Payment in column Type/,
    ],
    ["Type that says nothing", two("Amount,Type", "1000.00,EFT", "250.00,EFT"), /Line 2, .*EFT in column Type/],
    ["D/C that is none", two("Amount,D/C", "1000.00,C", "250.00,X"), /Line 3, column D\/C: X says neither/],
    [
      "D/C against the sign",
      two("Amount,D/C", "1000.00,C", "-250.00,C"),
      /Line 3, column D\/C: -250.00 and C do not agree/,
    ],
    ["Type against the sign", two("Amount,Type", "-1000.00,Debit", "250.00,Debit"), /250.00 and Debit do not agree/],
    ["plus on credits alone", two("Amount", "+1000.00", "250.00"), /Line 3, .*250.00 has no sign/],
    [
      "Cr and minus, and neither",
      `${two("Amount", "1000.00Cr", "-250.00")}2027-06-10,c,5.00\n`,
      /Line 4, .*5.00 has no sign/,
    ],
    [
      "a balance that falls",
      two("Amount,Balance", "1000.00,5000.00", "250.00,4750.00"),
      /Line 3, column Balance: the balance falls/,
    ],
    [
      "money out alone",
      two("Debit,Balance", ",5000.00", "250.00,4750.00"),
      /column Debit: it holds what went out, and no column/,
    ],
  ];
  for (const [name, file, message] of ASKED)
    test(`asked: ${name}`, async () => {
      await assert.rejects(read(file), (error: Error) => message.test(error.message) || assert.fail(error.message));
      assert.notEqual((await previewStatement(Buffer.from(file), null)).question, null);
    });

  const REFUSED: [string, string, RegExp][] = [
    [
      "a debit column with and without a minus",
      csv("Date,Debit,Credit", "2027-06-07,5.00,", "2027-06-08,7.00,", "2027-06-09,-2.00,"),
      /Line 4, column Debit: -2.00 could be money given back/,
    ],
    [
      "OFX that replaces a transaction",
      ofx(moved("DEBIT", "-1.00", "<FITID>2<CORRECTFITID>M1<CORRECTACTION>REPLACE")),
      /column CORRECTFITID: .*M1/,
    ],
    [
      "OFX that deletes a transaction",
      ofx(moved("DEBIT", "-1.00", "<FITID>2<CORRECTFITID>M1<CORRECTACTION>DELETE")),
      /column CORRECTFITID: .*M1/,
    ],
    [
      "CAMT.053 without a side",
      camt(entry("1.00", "").replace("<CdtDbtInd></CdtDbtInd>", "")),
      /the element CdtDbtInd is missing/,
    ],
    [
      "a text that is too long",
      csv("Date,Description,Amount", `2027-06-08,${"a".repeat(100_001)},1`),
      /more than 100000 characters/,
    ],
  ];
  for (const [name, file, message] of REFUSED) test(`refused: ${name}`, () => assert.rejects(read(file), message));
});
