import { heightOf, type Sheet } from "../../platform/pdf/sheet.ts";
import type { Style } from "../../platform/pdf/text.ts";
import type { AgreementDocument } from "../printed.ts";
import { momentInWords, shortDay } from "../wording.ts";
import { closeDocument, openDocument } from "./parts.ts";
import { COLOURS, inColour, STYLES } from "./theme.ts";

const GAP = 9;

/** A debit order agreement as an A4 PDF, with the evidence of its signature. The same input gives the same bytes. */
export function agreementPdf(agreement: AgreementDocument): Promise<Buffer> {
  const { accountReference, blocks, signature, sha256 } = agreement;
  const sheet = openDocument(agreement, {
    title: "Debit order agreement",
    number: accountReference,
    status: signature ? { text: "Signed", tone: "good" } : { text: "Not signed", tone: "wait" },
    recipientLabel: "Account of",
    facts: [["Issued", shortDay(agreement.issueDate)], signature && ["Signed", momentInWords(signature.signedAt)]],
  });
  for (const { kind, text } of blocks)
    if (kind === "heading") drawText(sheet, text, STYLES.strong, "H2");
    else drawText(sheet, text, STYLES.body, "P");
  if (signature) {
    drawText(sheet, "Signature", STYLES.strong, "H2");
    const evidence = [
      `Signed online by ${signature.name} on ${momentInWords(signature.signedAt)}.`,
      `Consent: ${signature.consent}`,
      `Address: ${signature.address ?? "unknown"}`,
      `Browser: ${signature.userAgent ?? "unknown"}`,
    ];
    for (const line of evidence) drawText(sheet, line, STYLES.body, "P");
  }
  drawText(sheet, `SHA-256 of the text as it was shown: ${sha256}`, inColour(STYLES.muted, COLOURS.muted), "P");
  return closeDocument(sheet, agreement);
}

/** Draws text over the whole width, over several pages when needed. A heading stays on one page with the text after it. */
function drawText(sheet: Sheet, text: string, look: Style, type: "H2" | "P"): void {
  const lines = sheet.lines(text, look, sheet.width);
  sheet.ensureSpace(heightOf(lines.slice(0, 2)) + (type === "H2" ? 3 * look.leading : 0));
  const element = sheet.element(type);
  for (const line of lines) {
    sheet.ensureSpace(line.style.leading);
    sheet.y += sheet.write([line], { x: sheet.left, y: sheet.y, width: sheet.width }, { of: element, type });
  }
  sheet.y += type === "H2" ? GAP / 3 : GAP;
}
