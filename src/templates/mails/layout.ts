import { assert } from "../../kernel/assert.ts";
import { accentPalette, PAPER } from "../../kernel/colour.ts";
import { singleLine, truncate } from "../../kernel/text.ts";
import { type Html, html } from "../html.ts";

/** A rendered mail. `subject` is one line; `text` and `html` have the same content. */
export interface Mail {
  readonly subject: string;
  readonly text: string;
  readonly html: Html;
}

/** The sender's brand: a merchant's for mails to payers, Tefo's for mails to staff (`tefo`). */
export interface MailBrand {
  readonly name: string;
  /** `#rrggbb`; null: Tefo's colour. */
  readonly accentColour: string | null;
  readonly supportEmail: string | null;
  /** Postal address; may have several lines. */
  readonly address: string | null;
  readonly vatNumber: string | null;
  /** Whether the mail leaves out the name of this product. */
  readonly hideProduct?: boolean;
  /** A sandbox organisation: subject and body say that it is a test (interface 13.5). */
  readonly sandbox: boolean;
}

/** Tefo's brand, for mails to the staff of an organisation. */
export const tefo = (sandbox: boolean): MailBrand => ({
  name: "Tefo",
  accentColour: null,
  supportEmail: null,
  address: null,
  vatNumber: null,
  sandbox,
});

type Row = readonly [term: string, value: string];

/** A line of a document, and the reason of its amount. */
type Item = readonly [what: string, amount: string, why: string | null];

/** A block of a mail. All values are plain text, so that the text part and the HTML part come from one source. */
export type Block =
  | { readonly kind: "amount"; readonly text: string }
  | { readonly kind: "paragraph"; readonly text: string }
  | { readonly kind: "note"; readonly text: string }
  | { readonly kind: "facts"; readonly rows: readonly (Row | null)[] }
  /** Rows of a document, then its sums; the last sum is emphasised. `more` is the number of rows left out. */
  | { readonly kind: "lines"; readonly items: readonly Item[]; readonly more: number; readonly sums: readonly Row[] }
  /** Text that the merchant wrote, with its line breaks. */
  | { readonly kind: "remark"; readonly text: string }
  /** `url` is an http(s) URL of this service. */
  | { readonly kind: "button"; readonly label: string; readonly url: string };

/** A mail before it is laid out. */
export interface MailContent {
  readonly brand: MailBrand;
  readonly subject: string;
  /** Text that mail programs show after the subject in a list. */
  readonly preview: string;
  readonly heading: string;
  readonly blocks: readonly Block[];
}

const SUBJECT_MAX = 180;

/** Renders a mail. The subject has no line break, whatever a merchant or payer wrote. */
export function renderMail(content: MailContent): Mail {
  const subject = `${content.brand.sandbox ? "TEST: " : ""}${content.subject}`;
  return {
    subject: truncate(oneLine(subject), SUBJECT_MAX),
    text: textPart(content),
    html: htmlPart(content),
  };
}

/**
 * A name or title written by a merchant or payer, for use in a sentence: on one line and isolated, so that right-to-left text does not
 * change the order of the sentence.
 */
export function quoted(text: string): string {
  const line = oneLine(text);
  return /[\p{Script=Arabic}\p{Script=Hebrew}\u202a-\u202e\u2066-\u2069]/u.test(line) ? `\u2068${line}\u2069` : line;
}

/** One line with plain spaces, for subjects and the text part. */
const oneLine = (text: string): string => singleLine(text.toWellFormed()).replace(/[\s\u00a0]+/g, " ");

const LINE_BREAK = /\r\n|[\r\n]/;

const TEST_LINE = "This is a test. No money moves.";

function textPart({ brand, heading, blocks }: MailContent): string {
  const parts = [
    ...(brand.sandbox ? [`*** TEST *** ${TEST_LINE}`] : []),
    ruledOff(heading),
    ...blocks.map(textBlock),
    `-- \n${footerLines(brand).join("\n")}`,
  ];
  return `${parts.join("\n\n")}\n`;
}

const RULE_MAX = 60;

function ruledOff(heading: string): string {
  const line = oneLine(heading);
  return `${line}\n${"=".repeat(Math.min(line.length, RULE_MAX))}`;
}

function textBlock(block: Block): string {
  switch (block.kind) {
    case "facts":
      return textRows(block.rows.filter((row) => row !== null));
    case "lines":
      return [textItems(block.items), ...moreLines(block.more), "", textRows(block.sums)].join("\n");
    case "remark":
      return remarkLines(block.text)
        .map((line) => `| ${line}`)
        .join("\n");
    case "button":
      return `${block.label}:\n${webUrl(block.url)}`;
    default:
      return oneLine(block.text);
  }
}

const textRows = (rows: readonly Row[]): string =>
  rows.map(([term, value]) => `${oneLine(term)}: ${oneLine(value)}`).join("\n");

const WHY_MAX = 500;
const whyText = (why: string): string => oneLine(truncate(why.toWellFormed(), WHY_MAX));

const textItems = (items: readonly Item[]): string =>
  items
    .flatMap(([what, amount, why]) => [textRows([[what, amount]]), ...(why === null ? [] : [`  ${whyText(why)}`])])
    .join("\n");

const moreLines = (more: number): string[] => (more === 0 ? [] : [`and ${more} more`]);

const REMARK_MAX = 2000;

const remarkLines = (text: string): string[] =>
  truncate(text.toWellFormed(), REMARK_MAX).trim().split(LINE_BREAK).map(oneLine);

function footerLines({ name, address, vatNumber, supportEmail, hideProduct }: MailBrand): string[] {
  return [
    name,
    ...(address ?? "").split(LINE_BREAK),
    vatNumber ? `VAT number ${vatNumber}` : "",
    supportEmail ? `Questions? Write to ${supportEmail}` : "",
    name === "Tefo" || hideProduct ? "" : "Sent by Tefo",
  ]
    .map(oneLine)
    .filter((line) => line !== "");
}

const FONT = html`font-family:-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif`;
const TEXT = "#1c1b18";
const MUTED = "#595852";

// Tables and style attributes, since mail programs support little else; no image, so that no server learns when the mail is opened.
function htmlPart({ brand, subject, preview, heading, blocks }: MailContent): Html {
  const { accent } = accentPalette(brand.accentColour);
  const marked = "padding:8px 16px;background:#ffe08a;color:#3d2c00;font-size:14px;font-weight:bold;text-align:center";
  const test = html`<tr><td style="${marked}">TEST: ${TEST_LINE}</td></tr>`;
  return html`<!doctype html>
<html lang="en-ZA">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${oneLine(subject)}</title>
</head>
<body style="margin:0;padding:0;background:${PAPER}">
<div role="main">
<div style="display:none;max-height:0;overflow:hidden">${oneLine(preview)}</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"
style="background:${PAPER};color:${TEXT};${FONT};font-size:16px;line-height:1.5;word-break:break-word">
${brand.sandbox ? test : ""}
<tr><td align="center" style="padding:32px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:520px;text-align:left">
<tr><td dir="auto" style="padding:0 4px 16px;font-weight:bold">${oneLine(brand.name)}</td></tr>
<tr><td style="padding:28px 24px 32px;background:#ffffff;border:1px solid #e0ded6;border-top:4px solid ${accent}">
<h1 style="margin:0 0 8px;font-size:22px;line-height:1.3;font-weight:bold">${heading}</h1>
${blocks.map((block) => htmlBlock(block, brand))}
</td></tr>
<tr><td style="padding:20px 4px 0;color:${MUTED};font-size:13px">${footerLines(brand).map(
    (line) => html`<div dir="auto">${line}</div>`,
  )}</td></tr>
</table></td></tr></table>
</div>
</body>
</html>
`;
}

function htmlBlock(block: Block, brand: MailBrand): Html {
  const { accent, onAccent, ink } = accentPalette(brand.accentColour);
  switch (block.kind) {
    case "amount":
      return html`<p style="margin:0 0 12px;font-size:34px;line-height:1.2;font-weight:bold;letter-spacing:-0.5px">${block.text}</p>`;
    case "paragraph":
      return html`<p style="margin:0 0 16px">${block.text}</p>`;
    case "note":
      return html`<p style="margin:16px 0 0;color:${MUTED};font-size:14px">${block.text}</p>`;
    case "button":
      return html`<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:20px 0 8px"><tr>
<td style="background:${accent};border:1px solid ${ink};border-radius:10px"><a href="${webUrl(block.url)}"
style="display:inline-block;padding:13px 22px;color:${onAccent};font-weight:bold;text-decoration:none">${block.label}</a>
</td></tr></table>`;
    case "facts":
      return htmlRows(block.rows.filter((row) => row !== null).map(htmlFact));
    case "lines": {
      const more = moreLines(block.more).map(
        (line) => html`<tr><td colspan="2" style="padding:10px 0 0;color:${MUTED}">${line}</td></tr>`,
      );
      return html`${htmlRows([...block.items.map(htmlItem), ...more])}${htmlRows(block.sums.map(htmlSum))}`;
    }
    case "remark": {
      const lines = remarkLines(block.text).map(
        (line) => html`<div dir="auto">${line === "" ? html`&nbsp;` : line}</div>`,
      );
      return html`<div style="margin:20px 0 0;padding:2px 0 2px 14px;border-left:3px solid #e0ded6;font-size:15px">${lines}</div>`;
    }
  }
}

const htmlRows = (rows: readonly Html[]): Html =>
  html`<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"
style="margin:16px 0 4px;border-top:2px dashed #e0ded6;font-size:15px">${rows}</table>`;

const htmlItem = ([what, amount, why]: Item): Html =>
  html`<tr><td valign="top" dir="auto" style="padding:10px 16px 0 0">${oneLine(what)}${
    why === null ? "" : html`<br><span style="font-size:13px;color:${MUTED}">${whyText(why)}</span>`
  }</td><td valign="top" align="right" style="padding:10px 0 0;white-space:nowrap">${amount}</td></tr>`;

function htmlSum([term, amount]: Row, index: number, sums: readonly Row[]): Html {
  const style = index === sums.length - 1 ? "font-weight:bold" : `color:${MUTED}`;
  return html`<tr><td valign="top" style="padding:10px 16px 0 0;${style}">${term}</td>
<td valign="top" align="right" style="padding:10px 0 0;white-space:nowrap;${style}">${amount}</td></tr>`;
}

const htmlFact = ([term, value]: Row): Html =>
  html`<tr><td valign="top" style="padding:10px 16px 0 0;color:${MUTED};white-space:nowrap">${term}</td>
<td valign="top" align="right" style="padding:10px 0 0"><bdi>${singleLine(value.toWellFormed())}</bdi></td></tr>`;

function webUrl(url: string): string {
  assert(/^https?:\/\//.test(url) && URL.canParse(url) && !/\s/.test(url), "a mail links to an http(s) address");
  return url;
}
