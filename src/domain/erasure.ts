/*
 * What a resource declares of the columns of its tables, in `record({…})` of its module: which hold ids and the like, and
 * what erasure makes of those that may hold personal data. `npm run generate` makes the functions of the database that
 * erase from it (scripts/generated/erasure.ts).
 */

/** What becomes of a column that may hold personal data, when a customer is erased. */
export type Fate =
  /**
   * Erased with the customer. `becomes` is the new value, in SQL; without it the row is deleted, or a statement of
   * `also` erases it.
   */
  | { readonly fate: "erased"; readonly becomes?: string }
  /** Kept for the time that the law says; `becomes` is the value after that time, without it the column stays. */
  | { readonly fate: "kept"; readonly why: string; readonly becomes?: string }
  /** Not of customers, or gone by itself. */
  | { readonly fate: "stays"; readonly why: string };

/** Erased with the customer: becomes `becomes`, an expression in SQL. */
export const erased = (becomes = "null"): Fate => ({ fate: "erased", becomes });
/** Erased with its row, or by a statement of `also`. */
export const ERASED: Fate = { fate: "erased" };
const stays = (why: string): Fate => ({ fate: "stays", why });
const keptBecause =
  (why: string) =>
  (becomes?: string): Fate => ({ fate: "kept", why, ...(becomes === undefined ? {} : { becomes }) });

/** Part of a tax invoice, a credit note or the books. */
export const keptByTaxLaw = keptBecause("kept by tax law");
/** Proof of the authority to debit. */
export const keptAsProof = keptBecause("kept as proof of the authority");
/** Words of the merchant's own bank, which may name a payer. */
export const keptWithStatement = keptBecause(
  "on the merchant's bank statement, kept with the books; after its time erased where it is matched with the customer",
);
/** The merchant's own name of a record. */
export const MERCHANTS_REFERENCE = stays("the merchant's own reference");
/** What a subscription is made of, or a gateway's words about a payment. */
export const ABOUT_THE_MATTER = stays("about the matter, not the person");
/** A gateway's token of a subscription that has ended, encrypted. */
export const DEAD_TOKEN = stays("a token that opens nothing any more");
/** The merchant's own people. */
export const OF_STAFF = stays("of staff, not of customers");
/** Deleted within two days by the service. */
export const GONE_IN_TWO_DAYS = stays("gone within two days");
/** References that the merchant has put into addresses; deleted within 31 days by the service. */
export const GONE_IN_A_MONTH = stays("gone within 31 days");
/** What was masked before it was stored. */
export const MASKED = stays("masked before it is stored: nothing of a person");
/** A number whose owner wants no messages: forgotten, it would be written to again. */
export const KEPT_TO_HONOUR = stays("a number alone, so that its owner is not written to again");
/** Of no person. */
export const OF_NOBODY = stays("of nobody");

/**
 * The columns of a table, and what erasure does to its rows. Conditions and statements are SQL of the functions that
 * erase, where `p_organisation` and `p_customer` are what is erased, `subjects` the ids and references of the
 * customer's records, `lines` the ids of the matched lines of bank statements, and `mail` the customer's address in
 * lower case.
 */
export interface PersonalTable {
  /** Columns that hold ids, states, kinds and the like, with spaces between them. */
  readonly plain?: string;
  /** Columns that may hold personal data, and those that erasure sets beside them. */
  readonly columns?: Readonly<Record<string, Fate>>;
  /** The rows that are erased, beside the condition on the organisation. */
  readonly rows?: string;
  /** The rows are deleted with the customer. */
  readonly deleted?: true;
  /** The field of an erasure's answer that counts its rows. */
  readonly counted?: string;
  /**
   * How its ids become those of a customer's records: `customer_id` stands for all rows of the customer; else this
   * query answers them.
   */
  readonly subjects?: string;
  /** Why the archive of a customer's data does not have its rows, although they are personal. */
  readonly notHanded?: string;
  /** Statements before those that are made of `columns`. */
  readonly before?: readonly string[];
  /** Statements after those that are made of `columns`. */
  readonly also?: readonly string[];
  /** As `also`, once records are no longer kept. */
  readonly alsoKept?: readonly string[];
}

/** Tables by their names; those outside the schema `public` with their schema. */
export type PersonalTables = Readonly<Record<string, PersonalTable>>;
