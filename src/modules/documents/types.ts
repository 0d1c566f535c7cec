import type { Instant } from "../../kernel/time.ts";

/** Supplier and customer at the time when a document was issued; null for what was not known. */
export interface PartiesSnapshot {
  readonly supplier: {
    readonly companyName: string | null;
    readonly address: string | null;
    readonly vatNumber: string | null;
  };
  readonly customer: {
    readonly firstName: string | null;
    readonly lastName: string | null;
    readonly company: string | null;
    readonly address: string | null;
    readonly vatNumber: string | null;
    readonly email: string | null;
  };
}

/** When payers saw a document on its page. */
export interface DocumentView {
  readonly viewedAt: Instant;
  readonly lastViewedAt: Instant;
}
