import { type Cents, cents, sum } from "../../../kernel/money.ts";
import type { CalendarDay } from "../../../kernel/time.ts";
import type { Cell } from "../../../platform/csv.ts";
import type { Codes, DocumentLine, JournalSum, Software } from "../types.ts";
import { taxCodeOf } from "./codes.ts";

/** A file's columns in the order of the software's template: the heading, and the cell of a row. */
export type Layout<Row> = Readonly<Record<string, (row: Row, codes: Codes) => Cell>>;

const empty = () => null;
const blank = (...headings: string[]) => Object.fromEntries(headings.map((heading) => [heading, empty]));
/** `DD/MM/YYYY`, as all three read it in South Africa. */
const date = (day: CalendarDay): string => day.split("-").reverse().join("/");
const negative = (amount: Cents): Cents => cents(0 - amount);
const debit = ({ amount }: JournalSum): Cell => (amount > 0 ? amount : null);
const credit = ({ amount }: JournalSum): Cell => (amount < 0 ? negative(amount) : null);
/** One journal has the entries of one day. */
const reference = ({ day }: JournalSum): string => `TEFO-${day.replaceAll("-", "")}`;
const words = ({ account }: JournalSum): string => account.replaceAll("_", " ");
const ledgerCode = ({ account }: JournalSum, { accounts }: Codes): string => accounts[account];
const revenue = (_row: DocumentLine, { accounts }: Codes): string => accounts.revenue;
const taxCode = (line: DocumentLine, codes: Codes): string => taxCodeOf(codes, line);

/** Xero writes a credit note as an invoice whose total is below zero. */
const signed = ({ kind }: DocumentLine, amount: Cents): Cents => (kind === "invoice" ? amount : negative(amount));

const XERO_DOCUMENTS: Layout<DocumentLine> = {
  "*ContactName": ({ customer }) => customer,
  EmailAddress: ({ email }) => email,
  ...blank("POAddressLine1", "POAddressLine2", "POAddressLine3", "POAddressLine4"),
  ...blank("POCity", "PORegion", "POPostalCode", "POCountry"),
  "*InvoiceNumber": ({ number }) => number,
  Reference: (row) => row.reference,
  "*InvoiceDate": ({ day }) => date(day),
  "*DueDate": ({ dueDay }) => date(dueDay),
  ...blank("Total", "InventoryItemCode"),
  "*Description": ({ description }) => description,
  "*Quantity": () => "1",
  "*UnitAmount": (row) => signed(row, row.net),
  Discount: empty,
  "*AccountCode": revenue,
  "*TaxType": taxCode,
  TaxAmount: (row) => signed(row, row.tax),
  ...blank("TrackingName1", "TrackingOption1", "TrackingName2", "TrackingOption2"),
  Currency: ({ currency }) => currency,
  BrandingTheme: empty,
};

const XERO_JOURNAL: Layout<JournalSum> = {
  "*Narration": reference,
  "*Date": ({ day }) => date(day),
  Description: words,
  "*AccountCode": ledgerCode,
  "*TaxRate": (_row, { taxCodes }) => taxCodes.none,
  "*Amount": ({ amount }) => amount,
  ...blank("TrackingName1", "TrackingOption1", "TrackingName2", "TrackingOption2"),
};

const SAGE_DOCUMENTS: Layout<DocumentLine> = {
  Type: ({ kind }) => (kind === "invoice" ? "Invoice" : "Cr Note"),
  "Customer Reference": (row) => row.accountCode,
  Date: ({ day }) => date(day),
  "Customer Name": ({ customer }) => customer,
  Reference: ({ number }) => number,
  "Ledger Account": revenue,
  Details: ({ description }) => description,
  Net: ({ net }) => net,
  "VAT Rate": taxCode,
  VAT: ({ tax }) => tax,
  Total: ({ net, tax }) => sum([net, tax]),
  ...blank("Analysis Type 1", "Analysis Type 2", "Analysis Type 3"),
};

const SAGE_JOURNAL: Layout<JournalSum> = {
  Reference: reference,
  Date: ({ day }) => date(day),
  Description: reference,
  "Ledger Account Number": ledgerCode,
  Details: words,
  ...blank("Analysis Type 1", "Analysis Type 2", "Analysis Type 3", "Include on Tax Return"),
  Debit: debit,
  Credit: credit,
  "Exchange rate": empty,
};

const quickbooksDocuments = (number: string, day: string): Layout<DocumentLine> => ({
  [number]: (row) => row.number,
  "*Customer": ({ customer }) => customer,
  [day]: (row) => date(row.day),
  ...(number === "*InvoiceNo" ? { "*DueDate": ({ dueDay }: DocumentLine) => date(dueDay) } : {}),
  Memo: (row) => row.reference,
  // QuickBooks takes the account of a line from its product; one product stands for the revenue account.
  "Item(Product/Service)": revenue,
  ItemDescription: ({ description }) => description,
  ItemQuantity: () => "1",
  ItemRate: ({ net }) => net,
  "*ItemAmount": ({ net }) => net,
  "*ItemTaxCode": taxCode,
  ItemTaxAmount: ({ tax }) => tax,
  Currency: ({ currency }) => currency,
});

const QUICKBOOKS_JOURNAL: Layout<JournalSum> = {
  "*JournalNo": reference,
  "*JournalDate": ({ day }) => date(day),
  "*AccountName": ledgerCode,
  "*Debits": debit,
  "*Credits": credit,
  Description: words,
  Name: empty,
  Currency: ({ currency }) => currency,
  ...blank("Location", "Class"),
};

interface Layouts {
  readonly invoices: Layout<DocumentLine>;
  readonly creditNotes: Layout<DocumentLine>;
  readonly journal: Layout<JournalSum>;
}

/**
 * The files of each software (decisions.md#documents-and-a-journal-of-the-rest); docs/operators/accounting-software.md gives the source of
 * their columns.
 */
export const LAYOUTS: Readonly<Record<Software, Layouts>> = {
  xero: { invoices: XERO_DOCUMENTS, creditNotes: XERO_DOCUMENTS, journal: XERO_JOURNAL },
  sage: { invoices: SAGE_DOCUMENTS, creditNotes: SAGE_DOCUMENTS, journal: SAGE_JOURNAL },
  quickbooks: {
    invoices: quickbooksDocuments("*InvoiceNo", "*InvoiceDate"),
    creditNotes: quickbooksDocuments("*CreditNoteNo", "*CreditNoteDate"),
    journal: QUICKBOOKS_JOURNAL,
  },
};
