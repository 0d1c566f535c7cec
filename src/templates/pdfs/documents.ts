import type {
  AgreementDocument,
  CreditNoteDocument,
  InvoiceDocument,
  QuoteDocument,
  StatementDocument,
  VatReturnDocument,
} from "../printed.ts";
import { agreementPdf } from "./agreement.ts";
import { creditNotePdf } from "./credit-note.ts";
import { invoicePdf } from "./invoice.ts";
import { quotePdf } from "./quote.ts";
import { statementPdf } from "./statement.ts";
import { vatReturnPdf } from "./vat-return.ts";

/** The documents that can be a PDF, by kind. */
export interface DocumentKinds {
  readonly invoice: InvoiceDocument;
  readonly quote: QuoteDocument;
  readonly creditNote: CreditNoteDocument;
  readonly statement: StatementDocument;
  readonly agreement: AgreementDocument;
  readonly vatReturn: VatReturnDocument;
}

/** A document with its kind. */
export type PrintJob = {
  readonly [Kind in keyof DocumentKinds]: { readonly kind: Kind; readonly document: DocumentKinds[Kind] };
}[keyof DocumentKinds];

/** The document as an A4 PDF. The same input gives the same bytes. */
export function documentPdf(job: PrintJob): Promise<Buffer> {
  switch (job.kind) {
    case "invoice":
      return invoicePdf(job.document);
    case "quote":
      return quotePdf(job.document);
    case "creditNote":
      return creditNotePdf(job.document);
    case "statement":
      return statementPdf(job.document);
    case "agreement":
      return agreementPdf(job.document);
    case "vatReturn":
      return vatReturnPdf(job.document);
  }
}
