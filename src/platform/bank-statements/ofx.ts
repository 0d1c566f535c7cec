import { beginningOf, decodedText } from "../encodings.ts";
import { writtenAmount } from "./amounts.ts";
import type { Said } from "./direction.ts";
import type { Fault } from "./fault.ts";
import { type EndedElement, sgmlElements, xmlElements } from "./markup.ts";
import { type FoundLine, type LeftOut, referenceOf, StatementAccount, tidied, usedId } from "./statement.ts";

/** Whether a file begins as OFX does: with the header of version 1, or as XML of version 2. */
export const isOfx = (beginning: string): boolean => /^\s*OFXHEADER|<\?OFX|<OFX>/i.test(beginning);

/**
 * Names of elements that hold others. In SGML an element without text need not be closed, and would hold everything
 * after it: one with another name counts as empty.
 */
const HOLDING = new RegExp(
  [
    "^(OFX|.*MSGSRSV1|.*TRNRS|.*STMTRS|SONRS|STATUS|FI|BANKTRANLIST|BANKTRANLISTP|STMTTRN|STMTTRNP|.*ACCTFROM|",
    ".*ACCTTO|PAYEE|CURRENCY|ORIGCURRENCY|LEDGERBAL|AVAILBAL|BALLIST|BAL)$",
  ].join(""),
);

/** Elements that end where the next one of their name begins: banks leave out their end tags. */
const REPEATED = /^STMTTRNP?$/;

/** Fields of a transaction that it has once: a second one is that of another, whose beginning is missing. */
const ONCE = new Set(["TRNAMT", "DTPOSTED", "FITID", "TRNTYPE"]);

/** Types of transactions that are money in, and those that are money out, where their amounts have no minus. */
const IN = new Set(["CREDIT", "DEP", "DIRECTDEP", "INT", "DIV"]);
const OUT = new Set("DEBIT CHECK PAYMENT CASH DIRECTDEBIT REPEATPMT FEE SRVCHG ATM POS".split(" "));

/** What the type of a transaction says about its direction. Interest may be charged, too. */
function saidBy(type: string): Said | null {
  const name = type.toUpperCase();
  const side = IN.has(name) ? "in" : OUT.has(name) ? "out" : null;
  return name === "" ? null : { side, strict: name !== "INT" && name !== "DIV", column: "TRNTYPE", cell: type };
}

/** What an OFX statement says about itself. */
export interface OfxHead {
  first: string | null;
  last: string | null;
  currency: string | null;
  /** Whether it has a list of transactions, with or without any. */
  listed: boolean;
  /** The day of the balance at its end. */
  asOf: string | null;
}

/** The lines of an OFX statement, version 1 or 2, transactions that are none yet, and what cannot be read in it; `head` is filled. */
export function* ofxLines(bytes: Uint8Array, head: OfxHead): Generator<FoundLine | LeftOut | Fault> {
  const isXml = /^\s*<\?xml/i.test(beginningOf(bytes));
  const elements = isXml
    ? xmlElements(decodedText(bytes))
    : sgmlElements(decodedText(bytes), { holding: HOLDING, repeated: REPEATED });
  let fields = new Map<string, EndedElement>();
  const account = new StatementAccount();
  for (const element of elements) {
    const path = isXml ? element.path.map((holder) => holder.toUpperCase()) : element.path;
    const name = path.at(-1) ?? "";
    const inside = path.slice(0, -1).some((holder) => holder === "STMTTRN" || holder === "STMTTRNP");
    if (name === "ACCTID" && /ACCTFROM$/.test(path.at(-2) ?? "")) {
      const fault = account.add(element.text, element.at, name);
      if (fault) yield fault;
    } else if (name === "CURDEF") head.currency = element.text.toUpperCase();
    else if (name === "BANKTRANLIST") head.listed = true;
    else if (path.at(-2) === "BANKTRANLIST" && name === "DTSTART") head.first = element.text;
    else if (path.at(-2) === "BANKTRANLIST" && name === "DTEND") head.last = element.text;
    else if (name === "DTASOF" && path.at(-2) === "LEDGERBAL") head.asOf = element.text;
    else if (name === "STMTTRN" || name === "STMTTRNP") {
      if (name === "STMTTRNP") yield { at: element.at, became: "pending", balance: null };
      else yield lineOf(element, fields, head.currency);
      fields = new Map();
    } else if (!inside && name === "TRNAMT") yield { at: element.at, column: name, what: UNBEGUN };
    else if (inside && element.text !== "") {
      if (ONCE.has(name) && fields.has(name)) yield { at: element.at, column: name, what: UNBEGUN };
      // What the payer paid in is told apart from the account's currency; the amount is in the latter.
      if (!path.includes("ORIGCURRENCY")) fields.set(name, element);
    }
  }
}

const correction = (id: string, action: string): string =>
  `the bank ${/delete/i.test(action) ? "takes back" : "replaces"} its transaction ${id} with this one, which ` +
  `would stand beside it: take both out of the file, undo the match of ${id} if it was imported before, and enter ` +
  "what is right by hand";

const UNBEGUN = "a transaction begins here without its start tag <STMTTRN>: the file is damaged, download it again";

function lineOf(
  { at }: EndedElement,
  fields: ReadonlyMap<string, EndedElement>,
  currency: string | null,
): FoundLine | LeftOut | Fault {
  const text = (name: string) => fields.get(name)?.text ?? "";
  const corrected = fields.get("CORRECTFITID");
  if (corrected)
    return { at: corrected.at, column: "CORRECTFITID", what: correction(corrected.text, text("CORRECTACTION")) };
  const cell = text("TRNAMT");
  const amount = writtenAmount(cell);
  if (amount === "none" || "fault" in amount)
    return {
      at,
      column: "TRNAMT",
      what: amount === "none" ? "the amount is missing" : `${cell} ${amount.fault}`,
    };
  if (amount.size === 0) return { at, became: "zero", balance: null };
  const names = new Set([text("NAME"), text("EXTDNAME"), text("MEMO")].filter((name) => name !== ""));
  return {
    at,
    date: { column: "DTPOSTED", cell: text("DTPOSTED") },
    description: tidied([...names].join(" ")),
    amount: { ...amount, kind: "amount", column: "TRNAMT", cell, said: saidBy(text("TRNTYPE")) },
    reference: referenceOf(text("REFNUM") || text("CHECKNUM")),
    currency: text("CURSYM").toUpperCase() || currency,
    bankId: usedId(text("FITID")),
    charge: false,
    balance: null,
    unread: null,
  };
}
