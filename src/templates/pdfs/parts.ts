import { accentPalette } from "../../kernel/colour.ts";
import { startOfDay } from "../../kernel/time.ts";
import { heightOf, openSheet, type Sheet } from "../../platform/pdf/sheet.ts";
import type { Style, TextLine } from "../../platform/pdf/text.ts";
import type { PricedDocument } from "../document.ts";
import type { DocumentHead, Parties, PaymentDetails, Recipient, Supplier } from "../printed.ts";
import { COLOURS, inColour, STYLES } from "./theme.ts";

/** The top of a document. */
export interface Heading {
  /** Title of the document: `Tax Invoice`. */
  readonly title: string;
  /** Number of the document; a statement's days. */
  readonly number: string;
  readonly status: { readonly text: string; readonly tone: "good" | "bad" | "wait" } | null;
  /** Label of the customer: `Billed to`. */
  readonly recipientLabel: string;
  readonly facts: readonly (readonly [term: string, value: string] | null)[];
}

const MARGINS = { side: 48, top: 44, bottom: 64 };
const LOGO = { width: 170, height: 54 };
const COLUMN_GAP = 22;
/** Most lines of a name and address, so that there is room for the rest of the page. */
const PARTY_LINES_MAX = 40;
/** An address with more lines is written as one paragraph, with commas. */
const ADDRESS_LINES_MAX = 8;

/** Creates a document and draws its heading: supplier, recipient, title and number. */
export function openDocument(head: DocumentHead, heading: Heading): Sheet {
  const name = head.supplier.tradingName ?? head.supplier.companyName;
  const sheet = openSheet({
    title: `${heading.title} ${heading.number}`,
    author: head.supplier.companyName,
    subject: `${heading.title} for ${recipientName(head.recipient)}`,
    created: startOfDay(head.issueDate),
    margins: MARGINS,
    onPage: (page, number) => drawTop(page, head, number === 1 ? null : `${name} · ${heading.title} ${heading.number}`),
  });
  drawHeading(sheet, head, heading);
  drawParties(sheet, head, heading);
  return sheet;
}

/** Name of the customer: the company, else the person, else the email address. */
const recipientName = ({ company, name, email }: Recipient): string => company || name || email || "Customer";

/** Draws the footer of each page and returns the PDF. */
export function closeDocument(sheet: Sheet, { supplier }: Parties): Promise<Buffer> {
  const about = [
    supplier.companyName,
    supplier.vatNumber ? `VAT number ${supplier.vatNumber}` : "",
    supplier.supportEmail ?? "",
  ].filter((text) => text !== "");
  return sheet.finish((page, pages) => {
    const y = 800;
    sheet.rule({ x: sheet.left, y: y - 8, width: sheet.width }, COLOURS.line);
    const [line] = sheet.lines(about.join(" · "), STYLES.foot, sheet.width - 90);
    if (line) sheet.write([line], { x: sheet.left, y, width: sheet.width });
    const count = sheet.lines(`Page ${page} of ${pages}`, STYLES.foot, 90);
    sheet.write(count, { x: sheet.left, y, width: sheet.width, align: "right" });
  });
}

function drawTop(sheet: Sheet, { supplier, sandbox }: Parties, running: string | null): void {
  const across = { x: 0, width: sheet.width + 2 * sheet.left };
  sheet.fill({ ...across, y: 0, height: 5 }, accentPalette(supplier.accentColour).accent);
  if (sandbox) {
    sheet.fill({ ...across, y: 5, height: 18 }, COLOURS.test);
    sheet.write(sheet.lines("Test document: no real money", STYLES.banner, sheet.width), {
      ...across,
      y: 5,
      align: "centre",
    });
  }
  if (running === null) return;
  const [line] = sheet.lines(running, STYLES.foot, sheet.width);
  if (line) sheet.write([line], { x: sheet.left, y: sheet.y - 8, width: sheet.width });
  sheet.y += 12;
}

function drawHeading(sheet: Sheet, { supplier }: Parties, { title, number, status }: Heading): void {
  const half = sheet.width / 2 - COLUMN_GAP / 2;
  const top = sheet.y + 4;
  const right = { x: sheet.left + half + COLUMN_GAP, width: half, align: "right" as const };
  const name = supplier.tradingName ?? supplier.companyName;
  let left = supplier.logo && sheet.picture(Buffer.from(supplier.logo), { x: sheet.left, y: top, ...LOGO }, name);
  if (left === null) {
    const look: Style = { ...STYLES.title, size: 16, leading: 20, colour: accentPalette(supplier.accentColour).ink };
    left = paragraph(sheet, sheet.lines(name, look, half).slice(0, 3), { x: sheet.left, y: top + 2, width: half });
  }
  let y = top - 3;
  y += paragraph(sheet, sheet.lines(title, STYLES.title, half), { ...right, y }, "H1");
  y += paragraph(sheet, sheet.lines(number, STYLES.number, half), { ...right, y });
  if (status) y += chip(sheet, status, right.x + half, y + 4);
  sheet.y = Math.max(top + left, y) + 24;
}

function chip(sheet: Sheet, { text, tone }: NonNullable<Heading["status"]>, right: number, y: number): number {
  const [colour, tint] = { good: ["good", "goodTint"], bad: ["bad", "badTint"], wait: ["wait", "waitTint"] }[tone] as [
    keyof typeof COLOURS,
    keyof typeof COLOURS,
  ];
  const lines = sheet.lines(text, { ...STYLES.strong, size: 8.5, leading: 17, colour: COLOURS[colour] }, 200);
  const width = (lines[0]?.width ?? 0) + 16;
  sheet.fill({ x: right - width, y, width, height: 17 }, COLOURS[tint], 8.5);
  paragraph(sheet, lines, { x: right - width + 8, y, width: width - 16 });
  return 21;
}

function drawParties(sheet: Sheet, head: DocumentHead, { recipientLabel, facts }: Heading): void {
  const width = (sheet.width - 2 * COLUMN_GAP) / 3;
  const column = (index: number) => sheet.left + index * (width + COLUMN_GAP);
  const party = (label: string, strong: string, rest: readonly string[], x: number): number => {
    const texts = [
      sheet.lines(label, STYLES.label, width),
      sheet.lines(strong, STYLES.strong, width),
      ...rest.map((text) => sheet.lines(text, STYLES.body, width)),
    ];
    return paragraph(sheet, fitting(texts), { x, y: sheet.y, width });
  };
  const laid = layFacts(sheet, facts, width);
  const heights = [
    party("From", head.supplier.companyName, supplierLines(head.supplier), column(0)),
    party(recipientLabel, recipientName(head.recipient), recipientLines(head.recipient), column(1)),
    heightOfFacts(laid),
  ];
  drawFacts(sheet, laid, { x: column(2), y: sheet.y, width });
  sheet.y += Math.max(...heights) + 24;
}

/** At most `PARTY_LINES_MAX` lines. Only the longest text, the address, is cut, so that the VAT number after it is kept. */
function fitting(texts: readonly TextLine[][]): TextLine[] {
  const over = Math.max(0, texts.flat().length - PARTY_LINES_MAX);
  const [longest] = texts.toSorted((a, b) => b.length - a.length);
  return texts.flatMap((lines) => (lines === longest ? lines.slice(0, lines.length - over) : lines));
}

function addressText(address: string | null): string {
  const lines = (address ?? "")
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return lines.join(lines.length > ADDRESS_LINES_MAX ? ", " : "\n");
}

const supplierLines = ({ companyName, tradingName, address, vatNumber, supportEmail }: Supplier): string[] =>
  [
    tradingName && tradingName !== companyName ? `trading as ${tradingName}` : "",
    addressText(address),
    vatNumber ? `VAT number ${vatNumber}` : "",
    supportEmail ?? "",
  ].filter((text) => text !== "");

const recipientLines = (recipient: Recipient): string[] =>
  [
    recipient.company ? (recipient.name ?? "") : "",
    addressText(recipient.address),
    recipient.vatNumber ? `VAT number ${recipient.vatNumber}` : "",
    recipient.company || recipient.name ? (recipient.email ?? "") : "",
  ].filter((text) => text !== "");

interface LaidFact {
  readonly term: readonly TextLine[];
  readonly value: readonly TextLine[];
  readonly height: number;
}

/** Measures facts: terms on the left, values on the right. */
function layFacts(sheet: Sheet, facts: Heading["facts"], width: number): LaidFact[] {
  return facts
    .filter((fact) => fact !== null)
    .map(([label, text]) => {
      const term = sheet.lines(label, inColour(STYLES.body, COLOURS.muted), width * 0.45);
      const value = sheet.lines(text, STYLES.body, width - Math.max(0, ...term.map((line) => line.width)) - 10);
      return { term, value, height: Math.max(heightOf(term), heightOf(value)) + 5 };
    });
}

const heightOfFacts = (facts: readonly LaidFact[]): number => facts.reduce((sum, { height }) => sum + height, 0);

/** Draws facts with a line under each. */
function drawFacts(sheet: Sheet, facts: readonly LaidFact[], at: { x: number; y: number; width: number }): void {
  let top = at.y;
  for (const { term, value, height } of facts) {
    const of = sheet.element("P");
    sheet.write(term, { ...at, y: top + 2 }, { of, type: "P" });
    sheet.write(value, { ...at, y: top + 2, align: "right" }, { of, type: "P" });
    top += height;
    sheet.rule({ ...at, y: top - 0.25 }, COLOURS.line, 0.5);
  }
}

/** A box in the merchant's colour: the amount and the instruction. */
export interface Callout {
  readonly label: string;
  readonly amount: string;
  readonly note: string;
  /** `url` is http(s); a QR code of it is printed for `scan`, in words. */
  readonly action: { readonly label: string; readonly url: string; readonly scan?: string } | null;
}

/** Draws the callout over the whole width. */
export function drawCallout(sheet: Sheet, { supplier }: Parties, { label, amount, note, action }: Callout): void {
  const { accent, onAccent, ink, tint } = accentPalette(supplier.accentColour);
  const code = action?.scan ? QR_SIDE + 2 * QR_QUIET : 0;
  const half = sheet.width - 190 - code;
  const lines = [
    ...sheet.lines(label, { ...STYLES.label, size: 9, leading: 13 }, half),
    ...sheet.lines(amount, STYLES.amount, half),
    ...sheet.lines(note, inColour(STYLES.body, COLOURS.muted), half),
  ];
  const height = Math.max(heightOf(lines), code) + 24;
  const y = sheet.y;
  sheet.fill({ x: sheet.left, y, width: sheet.width, height }, tint, 8);
  sheet.fill({ x: sheet.left, y: y + 8, width: 3, height: height - 16 }, ink, 1.5);
  paragraph(sheet, lines, { x: sheet.left + 18, y: y + (height - heightOf(lines)) / 2, width: half });
  if (action) {
    const text = sheet.lines(action.label, { ...STYLES.strong, size: 10.5, leading: 32, colour: onAccent }, 150);
    const width = Math.max(112, (text[0]?.width ?? 0) + 36);
    const box = { x: sheet.left + sheet.width - width - 18, y: y + height / 2 - 16, width, height: 32 };
    sheet.fill({ x: box.x - 0.5, y: box.y - 0.5, width: width + 1, height: 33 }, ink, 8.5);
    sheet.fill(box, accent, 8);
    sheet.button(text, box, action.url);
    if (action.scan) drawCode(sheet, action.url, action.scan, { x: box.x - code - 16, y: y + (height - code) / 2 });
  }
  sheet.y += height + 20;
}

/** In points: 0.4 mm or more for each square of a short address, and the quiet zone of four squares around it. */
const [QR_SIDE, QR_QUIET] = [56, 6.5];

/** A QR code on white paper, whatever is below it. */
function drawCode(sheet: Sheet, text: string, says: string, { x, y }: { x: number; y: number }): void {
  const side = QR_SIDE + 2 * QR_QUIET;
  sheet.fill({ x, y, width: side, height: side }, "#ffffff", 4);
  const box = { x: x + QR_QUIET, y: y + QR_QUIET, width: QR_SIDE, height: QR_SIDE };
  sheet.qrCode(text, box, says);
}

/** A row of totals; the last one is emphasised. */
export interface TotalRow {
  readonly label: string;
  readonly amount: string;
  readonly strong?: boolean;
}

const TOTALS_WIDTH = 232;
const heightOfTotal = ({ strong }: TotalRow): number => (strong ? STYLES.total.leading + 9 : STYLES.body.leading + 4);

/** Height of totals in points, so that a table can leave room for them. */
export const heightOfTotals = (rows: readonly TotalRow[]): number =>
  rows.reduce((sum, row) => sum + heightOfTotal(row), 10);

/** Draws totals at the right edge and returns the y of their top. */
export function drawTotals(sheet: Sheet, rows: readonly TotalRow[]): number {
  sheet.ensureSpace(heightOfTotals(rows));
  const x = sheet.left + sheet.width - TOTALS_WIDTH;
  const top = sheet.y + 6;
  let y = top;
  for (const row of rows) {
    const look = row.strong ? STYLES.total : STYLES.body;
    const element = sheet.element("P");
    if (row.strong) sheet.rule({ x, y: y + 2.9, width: TOTALS_WIDTH }, COLOURS.line);
    const at = { x, y: y + (row.strong ? 5 : 2), width: TOTALS_WIDTH };
    const label = row.strong ? look : inColour(look, COLOURS.muted);
    sheet.write(sheet.lines(row.label, label, TOTALS_WIDTH), at, { of: element, type: "P" });
    const amount = sheet.lines(row.amount, look, TOTALS_WIDTH);
    sheet.write(amount, { ...at, align: "right" }, { of: element, type: "P" });
    y += heightOfTotal(row);
  }
  sheet.y = y + 4;
  return top;
}

/** Draws the bank details, all on one page; nothing without them. */
export function drawBank(sheet: Sheet, bank: PaymentDetails | null): void {
  if (!bank) return;
  const left: Heading["facts"] = [
    ["Bank", bank.bankName],
    ["Account name", bank.accountName],
    ["Account type", bank.accountType],
  ];
  const right: Heading["facts"] = [
    ["Account number", bank.accountNumber],
    ["Branch code", bank.branchCode],
    ["Your reference", bank.reference],
  ];
  const width = (sheet.width - COLUMN_GAP) / 2;
  const columns = [left, right].map((facts) => layFacts(sheet, facts, width));
  const label = sheet.lines("Pay by bank transfer", STYLES.strong, sheet.width);
  const height = Math.max(...columns.map(heightOfFacts));
  sheet.ensureSpace(18 + heightOf(label) + 4 + height);
  sheet.y += 18;
  sheet.y += paragraph(sheet, label, { x: sheet.left, y: sheet.y, width: sheet.width }, "H2") + 4;
  for (const [index, facts] of columns.entries())
    drawFacts(sheet, facts, { x: sheet.left + index * (width + COLUMN_GAP), y: sheet.y, width });
  sheet.y += height;
}

/** Draws the document's notes, over several pages when needed; at least two lines are on each. */
export function drawNotes(sheet: Sheet, { notes }: Pick<PricedDocument, "notes">): void {
  const lines = sheet.lines(notes ?? "", STYLES.body, sheet.width * 0.86);
  if (lines.length === 0) return;
  const [label, element] = [sheet.lines("Notes", STYLES.strong, sheet.width), sheet.element("P")];
  sheet.ensureSpace(18 + heightOf([...label, ...lines.slice(0, 2)]));
  sheet.y += 18;
  sheet.y += paragraph(sheet, label, { x: sheet.left, y: sheet.y, width: sheet.width }, "H2") + 2;
  for (const line of lines) {
    sheet.ensureSpace(line.style.leading);
    sheet.y += sheet.write([line], { x: sheet.left, y: sheet.y, width: sheet.width }, { of: element, type: "P" });
  }
}

function paragraph(sheet: Sheet, lines: readonly TextLine[], at: Parameters<Sheet["write"]>[1], type = "P"): number {
  return lines.length === 0 ? 0 : sheet.write(lines, at, { of: sheet.element(type), type });
}
