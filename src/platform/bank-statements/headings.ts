/** What a column of a CSV statement holds. */
export type Meaning = keyof typeof MEANINGS | "description" | "direction" | "type";

/** Headings that name the content of a column, the best first; compared without case, signs and currency. */
const MEANINGS = {
  date: [
    "posting date",
    "posted date",
    "date",
    "transaction date",
    "tran date",
    "trans date",
    "txn date",
    "effective date",
    "value date",
    "process date",
    "processed date",
    "booking date",
    "entry date",
    "date posted",
    "date and time",
    "date time",
    "datum",
    "transaksiedatum",
  ],
  amount: ["amount", "transaction amount", "tran amount", "amount r", "value", "bedrag", "transaksiebedrag"],
  debit: [
    "debit",
    "debits",
    "debit amount",
    "debit amt",
    "amount debit",
    "debiet",
    "debiete",
    "dr",
    "dr amount",
    "money out",
    "moneyout",
    "amount out",
    "paid out",
    "payments",
    "payments out",
    "withdrawal",
    "withdrawals",
    "withdrawal amount",
    "uitgaande",
  ],
  credit: [
    "credit",
    "credits",
    "credit amount",
    "credit amt",
    "amount credit",
    "krediet",
    "krediete",
    "cr",
    "cr amount",
    "money in",
    "moneyin",
    "amount in",
    "paid in",
    "payments in",
    "receipts",
    "deposit",
    "deposits",
    "deposit amount",
    "inkomende",
  ],
  fee: ["fee", "fees"],
  balance: [
    "balance",
    "running balance",
    "account balance",
    "closing balance",
    "statement balance",
    "ledger balance",
    "book balance",
    "current balance",
    "balance after",
    "balance after transaction",
    "saldo",
    "available balance",
  ],
  reference: [
    "reference",
    "reference number",
    "statement reference",
    "payment reference",
    "your reference",
    "beneficiary reference",
    "customer reference",
    "reference 1",
    "ref",
    "ref no",
    "ref number",
    "verwysing",
  ],
  id: [
    "transaction id",
    "bank transaction id",
    "unique id",
    "unique transaction id",
    "fitid",
    "transaction number",
    "transaction no",
    "tran list no",
    "list no",
    "list number",
    "sequence number",
    "sequence no",
    "nr",
    "id",
  ],
  currency: ["currency", "ccy", "currency code", "geldeenheid"],
} as const;

/** A heading of a reference, in a file without a better one. */
const REFERENCE_AT_LAST = /(?:^| )(?:reference|ref)(?: (?:no|number|\d))?$/;

/** Words that a heading of a description may have before and after its noun. */
const DESCRIPTION = new RegExp(
  [
    "^(?:(?:original|statement|transaction|trans|tran|long|short|full|extended|additional|extra|bank|line|",
    "payment|entry|your|my) )*(?:descriptions?|narratives?|narrations?|narrative text|details?|particulars|",
    String.raw`memo|remarks?|beskrywing|besonderhede|payee|payer|text)(?: ?\d)?(?: line \d)?$`,
  ].join(""),
);
/** Headings that hold the description only in a file without a better one. */
const DESCRIPTION_AT_LAST = ["transactions", "transaction", "name", "counterparty", "beneficiary", "notes"];

const DIRECTION = new RegExp(
  [
    "^(?:(?:dr|cr|d|c|debit|credit|debiet|krediet|in|out|money in|money out) (?:or )?(?:dr|cr|d|c|debit|",
    "credit|debiet|krediet|in|out|money in|money out)|drcr|crdr|dc|cd|direction|sign|indicator|",
    "rigting)(?: (?:indicator|ind|flag|mark|marker|type|code))?$|^(?:cr|dr|credit|debit|c|d)(?: (?:indicator|",
    "ind|flag|mark|marker))$",
  ].join(""),
);
const TYPE = /^(?:transaction |trans |tran |txn |entry |payment |record )?(?:type|tipe)(?: code)?$|^transaksietipe$/;

/** A heading as it is compared. */
export const plainHeading = (heading: string): string =>
  heading
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/\((?:r|zar|rand)\)|\bzar\b/g, " ")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** The columns with a meaning, the best first; headings are plain. */
export function columnsOf(headings: readonly string[], meaning: Meaning): readonly number[] {
  const where = (fits: (heading: string) => boolean) =>
    headings.flatMap((heading, place) => (fits(heading) ? [place] : []));
  if (meaning === "direction") return where((heading) => DIRECTION.test(heading));
  if (meaning === "type") return where((heading) => TYPE.test(heading));
  if (meaning === "description") {
    const named = where((heading) => DESCRIPTION.test(heading));
    return named.length > 0 ? named : where((heading) => DESCRIPTION_AT_LAST.includes(heading));
  }
  const listed = MEANINGS[meaning].flatMap((name) => where((heading) => heading === name));
  return meaning === "reference" && listed.length === 0 ? where((heading) => REFERENCE_AT_LAST.test(heading)) : listed;
}
