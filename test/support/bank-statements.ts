import type { ColumnMapping } from "../../src/platform/bank-statements/mapping.ts";
import { readStatement } from "../../src/platform/bank-statements/read-statement.ts";

/* Small files of each format, for tests. */

/** A statement with its lines. */
export const read = async (content: string, mapping: ColumnMapping | null = null) => {
  const statement = await readStatement(Buffer.from(content), mapping);
  const lines = [];
  for await (const line of statement.lines()) lines.push(line);
  return { ...statement, lines };
};
/** A CSV file of these rows. */
export const csv = (headings: string, ...rows: string[]) => [headings, ...rows, ""].join("\n");
/** An OFX file of these transactions. */
export const ofx = (...transactions: string[]) =>
  "OFXHEADER:100\nDATA:OFXSGML\n\n<OFX><STMTRS><CURDEF>ZAR<BANKTRANLIST><DTSTART>20270607<DTEND>20270609\n" +
  `${transactions.join("\n")}\n</BANKTRANLIST></STMTRS></OFX>\n`;
/** A transaction of OFX; without a type where it is empty. */
export const moved = (type: string, amount: string, more = "<NAME>a") =>
  `<STMTTRN>${type && `<TRNTYPE>${type}`}<DTPOSTED>20270608<TRNAMT>${amount}${more}</STMTTRN>`;
/** A CAMT.053 file whose statement holds this. */
export const camt = (inside: string) =>
  `<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02">` +
  `<BkToCstmrStmt><Stmt>${inside}</Stmt></BkToCstmrStmt></Document>`;
/** A booked entry of CAMT.053. */
export const entry = (amount: string, side: string, more = "") =>
  `<Ntry><Amt Ccy="ZAR">${amount}</Amt><CdtDbtInd>${side}</CdtDbtInd><Sts>BOOK</Sts>` +
  `<BookgDt><Dt>2027-06-08</Dt></BookgDt>${more}<AddtlNtryInf>a</AddtlNtryInf></Ntry>`;
/** A balance of CAMT.053, of money that is there. */
export const balance = (code: string, amount: string) =>
  `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="ZAR">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd></Bal>`;
