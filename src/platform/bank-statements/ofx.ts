import { beginningOf, decodedText } from "../encodings.ts";
import { readAmount } from "./amounts.ts";
import { type EndedElement, sgmlElements, xmlElements } from "./markup.ts";
import { type Fault, type FoundLine, referenceOf, StatementAccount, tidied } from "./statement.ts";

/** Whether a file begins as OFX does: with the header of version 1, or as XML of version 2. */
export const isOfx = (beginning: string): boolean => /^\s*OFXHEADER|<\?OFX|<OFX>/i.test(beginning);

/**
 * Names of elements that hold others. In SGML an element without text need not be closed, and would hold everything after it: one with another
 * name counts as empty.
 */
const HOLDING =
  /^(OFX|.*MSGSRSV1|.*TRNRS|.*STMTRS|SONRS|STATUS|FI|BANKTRANLIST|STMTTRN|.*ACCTFROM|.*ACCTTO|PAYEE|CURRENCY|ORIGCURRENCY|LEDGERBAL|AVAILBAL|BALLIST|BAL)$/;

/** The lines of an OFX statement, version 1 or 2, and what cannot be read in it. */
export function* ofxLines(bytes: Uint8Array): Generator<FoundLine | Fault> {
  const isXml = /^\s*<\?xml/i.test(beginningOf(bytes));
  const elements = isXml ? xmlElements(decodedText(bytes)) : sgmlElements(decodedText(bytes), HOLDING);
  let currency: string | null = null;
  let fields = new Map<string, EndedElement>();
  const account = new StatementAccount();
  for (const element of elements) {
    const name = element.path.at(-1)?.toUpperCase() ?? "";
    if (name === "ACCTID" && /ACCTFROM$/i.test(element.path.at(-2) ?? "")) {
      const fault = account.add(element.text, element.at, name);
      if (fault) yield fault;
    } else if (name === "CURDEF") currency = element.text.toUpperCase();
    else if (name === "STMTTRN") {
      yield lineOf(element, fields, currency);
      fields = new Map();
    } else if (element.path.some((holder) => holder.toUpperCase() === "STMTTRN") && element.text !== "")
      fields.set(name, element);
  }
}

function lineOf(
  { at }: EndedElement,
  fields: ReadonlyMap<string, EndedElement>,
  currency: string | null,
): FoundLine | Fault {
  const text = (name: string) => fields.get(name)?.text ?? "";
  const amount = readAmount(text("TRNAMT"));
  if (typeof amount !== "number")
    return {
      at,
      column: "TRNAMT",
      what: amount === "none" ? "the amount is missing" : `${text("TRNAMT")} ${amount.fault}`,
    };
  const names = new Set([text("NAME"), text("MEMO")].filter((name) => name !== ""));
  return {
    at,
    date: { column: "DTPOSTED", cell: text("DTPOSTED").slice(0, 8) },
    description: tidied([...names].join(" ")),
    amount,
    reference: referenceOf(text("REFNUM") || text("CHECKNUM")),
    currency: text("CURSYM").toUpperCase() || currency,
  };
}
