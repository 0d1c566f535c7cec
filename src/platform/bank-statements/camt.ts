import { cents } from "../../kernel/money.ts";
import { decodedText } from "../encodings.ts";
import { readAmount, writtenAmount } from "./amounts.ts";
import { type Fault, faulty } from "./fault.ts";
import { type EndedElement, xmlElements } from "./markup.ts";
import { type FoundLine, type LeftOut, referenceOf, StatementAccount, tidied, usedId } from "./statement.ts";

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
/** Paths of the days that a statement covers. */
const FROM = /\/Stmt\/FrToDt\/FrDt(?:Tm)?$/;
const TO = /\/Stmt\/FrToDt\/ToDt(?:Tm)?$/;

/** What a CAMT.053 statement says about itself. */
export interface CamtHead {
  first: string | null;
  last: string | null;
  currency: string | null;
  /** The days of the balances that begin and end it, in the file's order. */
  readonly balanceDays: string[];
}

/** The booked lines of a CAMT.053 statement, entries that are none, and what cannot be read in it; `head` is filled. */
export function* camtLines(bytes: Uint8Array, head: CamtHead): Generator<FoundLine | LeftOut | Fault> {
  let entry = newEntry();
  let statements = 0;
  let balances: Balance[] = [];
  let balance = newEntry();
  const account = new StatementAccount();
  for (const element of xmlElements(decodedText(bytes))) {
    const name = element.path.at(-1) ?? "";
    const inside = element.path.indexOf("Ntry");
    if (inside >= 0) {
      const path = element.path.slice(inside + 1).join("/");
      if (path !== "") note(entry, path, element);
      else {
        yield* balances.filter(({ opening }) => opening).map(({ found }) => found);
        balances = balances.filter(({ opening }) => !opening);
        yield entryOf(element, entry);
        entry = newEntry();
      }
      continue;
    }
    const within = element.path.indexOf("Bal");
    if (within >= 0 && name === "Bal") {
      const found = balanceOf(element, balance);
      balances.push(...found);
      const day = balance.fields.get("Dt/Dt") ?? balance.fields.get("Dt/DtTm");
      if (found.some(({ previous }) => !previous) && day !== undefined) head.balanceDays.push(day);
      balance = newEntry();
    } else if (within >= 0) note(balance, element.path.slice(within + 1).join("/"), element);
    else if (name === "Stmt") {
      statements++;
      yield* balances.toSorted((one, other) => Number(other.opening) - Number(one.opening)).map(({ found }) => found);
      balances = [];
    } else {
      const path = element.path.join("/");
      if (path.endsWith("/Stmt/Acct/Ccy")) head.currency = element.text.toUpperCase() || null;
      if (FROM.test(path)) head.first ??= element.text;
      if (TO.test(path)) head.last = element.text;
      const fault = ACCOUNT.test(path) ? account.add(element.text, element.at, "Acct") : null;
      if (fault) yield fault;
    }
  }
  if (statements === 0) throw faulty([{ at: null, column: null, what: "The file holds no statement (Stmt)." }]);
}

interface Balance {
  readonly opening: boolean;
  /** Whether it is of the statement before. */
  readonly previous: boolean;
  readonly found: LeftOut;
}

/** A balance that begins or ends a statement and proves its entries; none for other kinds of balances. */
function balanceOf({ at }: EndedElement, { fields }: Entry): Balance[] {
  const code = fields.get("Tp/CdOrPrtry/Cd") ?? "";
  const amount = readAmount(fields.get("Amt") ?? "");
  if (!/^(?:OPBD|PRCD|CLBD)$/.test(code) || typeof amount !== "number") return [];
  const signed = fields.get("CdtDbtInd") === "DBIT" && amount !== 0 ? cents(-amount) : amount;
  const opening = code !== "CLBD";
  const end = opening ? ("opening" as const) : ("closing" as const);
  const found: LeftOut = { at, became: null, balance: { amount: signed, column: "Bal" }, end };
  return [{ opening, previous: code === "PRCD", found }];
}

function note(entry: Entry, path: string, element: EndedElement): void {
  if (element.text === "") return;
  if (path === "Amt") entry.currency = element.attributes["Ccy"] ?? null;
  if (!entry.fields.has(path)) entry.fields.set(path, element.text);
  if (TEXTS.test(path) && !NO_TEXT.test(element.text)) entry.texts.add(element.text);
}

const SIDES = "CRDT (money in) nor DBIT (money out)";
const NO_SIDE = `the element CdtDbtInd is missing, so nothing says whether the amount came in (CRDT) or went out (DBIT)`;

const NO_TEXT = /^(?:NOTPROVIDED|NONREF)$/;

function entryOf({ at }: EndedElement, { fields, texts, currency }: Entry): FoundLine | LeftOut | Fault {
  const text = (name: string) => fields.get(name) ?? "";
  if (/^(?:PDNG|INFO|FUTR)$/.test(text("Sts") || text("Sts/Cd"))) return { at, became: "pending", balance: null };
  const cell = text("Amt");
  const amount = writtenAmount(cell);
  if (amount === "none") return { at, column: "Amt", what: "the amount is missing" };
  if ("fault" in amount || amount.mark !== "bare")
    return { at, column: "Amt", what: `${cell} is not an amount such as 1234.56` };
  const side = text("CdtDbtInd");
  if (side !== "CRDT" && side !== "DBIT")
    return { at, column: "CdtDbtInd", what: side === "" ? NO_SIDE : `${side} is neither ${SIDES}` };
  if (amount.size === 0) return { at, became: "zero", balance: null };
  const date = text("BookgDt/Dt") || text("BookgDt/DtTm") || text("ValDt/Dt") || text("ValDt/DtTm");
  const details = "NtryDtls/TxDtls";
  const given = text(`${details}/RmtInf/Strd/CdtrRefInf/Ref`) || text(`${details}/Refs/EndToEndId`);
  return {
    at,
    date: { column: "BookgDt", cell: date },
    description: tidied([...texts].join(" ")),
    amount: { size: amount.size, mark: side === "DBIT" ? "dr" : "cr", kind: "amount", column: "Amt", cell, said: null },
    reference: referenceOf(NO_TEXT.test(given) ? "" : given),
    currency,
    bankId: usedId(text("AcctSvcrRef")) ?? usedId(text("NtryRef")),
    charge: false,
    balance: null,
    unread: null,
  };
}
