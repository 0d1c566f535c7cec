import { type Cents, formatMoney, sum } from "../../kernel/money.ts";
import { heightOf, type Sheet } from "../../platform/pdf/sheet.ts";
import { drawTable, type Row } from "../../platform/pdf/table.ts";
import type { StatementDocument } from "../printed.ts";
import { dayInWords, shortDay, shortPeriod } from "../wording.ts";
import { closeDocument, drawBank, drawCallout, openDocument } from "./parts.ts";
import { COLOURS, inColour, STYLES } from "./theme.ts";

const AGING: readonly (readonly [key: keyof StatementDocument["aging"], label: string])[] = [
  ["current", "Not yet due"],
  ["days30", "1 to 30 days"],
  ["days60", "31 to 60 days"],
  ["days90", "61 to 90 days"],
  ["days120", "91 to 120 days"],
  ["older", "Over 120 days"],
];
const AGING_HEIGHT = 72;

/** A customer's statement for a period as an A4 PDF. The same input gives the same bytes. */
export function statementPdf(statement: StatementDocument): Promise<Buffer> {
  const { period, currency, opening, movements, payUrl } = statement;
  const money = (value: Cents) => formatMoney(value, currency);
  const closing = sum([opening, ...movements.map(({ amount }) => amount)]);
  const sheet = openDocument(statement, {
    title: "Statement",
    number: shortPeriod(period),
    status: null,
    recipientLabel: "Account of",
    facts: [
      ["Issued", shortDay(statement.issueDate)],
      ["Currency", currency],
    ],
  });
  drawCallout(sheet, statement, {
    label: closing < 0 ? "In your favour" : "Balance",
    amount: money(Math.abs(closing) as Cents),
    note: `On ${dayInWords(period.end)}`,
    action: payUrl !== null && closing > 0 ? { label: "Pay online", url: payUrl } : null,
  });
  drawTable(sheet, {
    columns: [
      { head: "Date", align: "left" },
      { head: "Description", align: "left", fill: true },
      { head: "Amount", align: "right" },
      { head: "Balance", align: "right" },
    ],
    rows: rowsOf(statement, closing),
    headStyle: STYLES.head,
    lineColour: COLOURS.line,
    reserve: AGING_HEIGHT,
  });
  drawUnpaid(sheet, statement);
  drawAging(sheet, statement);
  drawBank(sheet, closing > 0 ? statement.bank : null);
  return closeDocument(sheet, statement);
}

function rowsOf({ period, currency, opening, movements }: StatementDocument, closing: Cents): Row[] {
  const cell = (text: string, style = STYLES.body) => [{ text, style }];
  const total = (day: StatementDocument["issueDate"], label: string, amount: Cents): Row => [
    cell(shortDay(day)),
    cell(label, STYLES.strong),
    [],
    cell(formatMoney(amount, currency), STYLES.strong),
  ];
  let balance = opening;
  return [
    total(period.start, "Opening balance", opening),
    ...movements.map(({ day, description, amount }): Row => {
      balance = sum([balance, amount]);
      return [
        cell(shortDay(day)),
        cell(description),
        cell(formatMoney(amount, currency)),
        cell(formatMoney(balance, currency)),
      ];
    }),
    total(period.end, "Closing balance", closing),
  ];
}

/** The debit orders that are owed beside the balance. */
function drawUnpaid(sheet: Sheet, { unpaidDebits, currency }: StatementDocument): void {
  if (unpaidDebits.length === 0) return;
  sheet.ensureSpace(AGING_HEIGHT);
  sheet.y += 18;
  const label = sheet.lines("Also due: debit orders returned unpaid", STYLES.strong, sheet.width);
  const heading = { of: sheet.element("H2"), type: "H2" };
  sheet.y += sheet.write(label, { x: sheet.left, y: sheet.y, width: sheet.width }, heading) + 5;
  drawTable(sheet, {
    columns: [
      { head: "Date", align: "left" },
      { head: "Description", align: "left", fill: true },
      { head: "Amount", align: "right" },
    ],
    rows: unpaidDebits.map(({ day, description, amount }) => [
      [{ text: shortDay(day), style: STYLES.body }],
      [{ text: description, style: STYLES.body }],
      [{ text: formatMoney(amount, currency), style: STYLES.body }],
    ]),
    headStyle: STYLES.head,
    lineColour: COLOURS.line,
    reserve: 0,
  });
}

function drawAging(sheet: Sheet, { aging, currency }: StatementDocument): void {
  sheet.ensureSpace(AGING_HEIGHT);
  sheet.y += 18;
  const label = sheet.lines("Open amounts by how long they are overdue", STYLES.strong, sheet.width);
  const heading = { of: sheet.element("H2"), type: "H2" };
  sheet.y += sheet.write(label, { x: sheet.left, y: sheet.y, width: sheet.width }, heading) + 5;
  const width = sheet.width / AGING.length;
  const heights = AGING.map(([key, label], index) => {
    const late = index > 0 && aging[key] > 0;
    const lines = [
      ...sheet.lines(label, STYLES.label, width),
      ...sheet.lines(
        formatMoney(aging[key], currency),
        inColour(STYLES.strong, late ? COLOURS.bad : COLOURS.text),
        width,
      ),
    ];
    const at = { x: sheet.left + index * width, y: sheet.y, width };
    sheet.write(lines, at, { of: sheet.element("P"), type: "P" });
    return heightOf(lines);
  });
  sheet.y += Math.max(...heights);
}
