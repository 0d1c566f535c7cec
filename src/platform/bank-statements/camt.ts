import { decodedText } from "../encodings.ts";
import { readAmount } from "./amounts.ts";
import { type EndedElement, xmlElements } from "./markup.ts";
import { type Fault, type FoundLine, faulty, referenceOf, StatementAccount, tidied } from "./statement.ts";

/** Whether a file begins as a statement of ISO 20022 does. */
export const isCamt = (beginning: string): boolean => /camt\.053|<(?:\w+:)?BkToCstmrStmt[\s>]/.test(beginning);

/** What an entry holds, by the end of its path inside `Ntry`. */
interface Entry {
  readonly fields: Map<string, string>;
  readonly texts: Set<string>;
  currency: string | null;
}

const newEntry = (): Entry => ({ fields: new Map(), texts: new Set(), currency: null });

/** Ends of paths whose text describes an entry. */
const TEXTS =
  /(?:^|\/)(?:AddtlNtryInf|Ustrd|AddtlTxInf|EndToEndId|RmtInf\/Strd\/CdtrRefInf\/Ref|(?:Dbtr|Cdtr)(?:\/Pty)?\/Nm)$/;

/** Paths of the number of a statement's account. */
const ACCOUNT = /\/Stmt\/Acct\/Id\/(?:IBAN|Othr\/Id)$/;

/** The booked lines of a CAMT.053 statement, and what cannot be read in it. */
export function* camtLines(bytes: Uint8Array): Generator<FoundLine | Fault> {
  let entry = newEntry();
  let statements = 0;
  const account = new StatementAccount();
  for (const element of xmlElements(decodedText(bytes))) {
    if (element.path.at(-1) === "Stmt") statements++;
    const inside = element.path.indexOf("Ntry");
    if (inside < 0) {
      const fault = ACCOUNT.test(element.path.join("/")) ? account.add(element.text, element.at, "Acct") : null;
      if (fault) yield fault;
      continue;
    }
    const path = element.path.slice(inside + 1).join("/");
    if (path === "") {
      if (!/^(PDNG|INFO|FUTR)$/.test(entry.fields.get("Sts") ?? entry.fields.get("Sts/Cd") ?? ""))
        yield lineOf(element, entry);
      entry = newEntry();
    } else if (element.text !== "") {
      if (path === "Amt") entry.currency = element.attributes["Ccy"] ?? null;
      if (!entry.fields.has(path)) entry.fields.set(path, element.text);
      if (TEXTS.test(path) && !/^(NOTPROVIDED|NONREF)$/.test(element.text)) entry.texts.add(element.text);
    }
  }
  if (statements === 0) throw faulty([{ at: null, column: null, what: "The file holds no statement (Stmt)." }]);
}

function lineOf({ at }: EndedElement, { fields, texts, currency }: Entry): FoundLine | Fault {
  const text = (name: string) => fields.get(name) ?? "";
  const amount = readAmount(text("Amt"));
  if (typeof amount !== "number" || amount < 0)
    return {
      at,
      column: "Amt",
      what: text("Amt") === "" ? "the amount is missing" : `${text("Amt")} is not an amount such as 1234.56`,
    };
  const side = text("CdtDbtInd");
  if (side !== "CRDT" && side !== "DBIT") return { at, column: "CdtDbtInd", what: `${side} is neither CRDT nor DBIT` };
  const date = text("BookgDt/Dt") || text("BookgDt/DtTm") || text("ValDt/Dt") || text("ValDt/DtTm");
  const details = "NtryDtls/TxDtls";
  const given = text(`${details}/RmtInf/Strd/CdtrRefInf/Ref`) || text(`${details}/Refs/EndToEndId`);
  return {
    at,
    date: { column: "BookgDt", cell: date.slice(0, 10) },
    description: tidied([...texts].join(" ")),
    amount: (side === "DBIT" && amount !== 0 ? -amount : amount) as typeof amount,
    reference: referenceOf(given === "NOTPROVIDED" ? "" : given),
    currency,
  };
}
