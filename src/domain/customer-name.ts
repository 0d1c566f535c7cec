import { type Part, part, type Tx } from "../platform/database.ts";

/**
 * The name of a customer `c` as documents have it: the company, else the person, else the address; null when none is
 * known.
 */
export const CUSTOMER_NAME = part`coalesce(nullif(c.company, ''), nullif(concat_ws(' ', c.first_name, c.last_name), ''), c.email)`;

/**
 * The name of a customer `c` where each must have one: `CUSTOMER_NAME`, else the merchant's reference, else the account
 * code.
 */
export const CUSTOMER_LABEL = part`coalesce(${CUSTOMER_NAME}, c.external_reference, c.account_code)`;

/** The text in which lists search for a customer `c`. */
export const CUSTOMER_SEARCH_TEXT = part`concat_ws(' ', c.first_name, c.last_name, c.company, c.email, c.external_reference)`;

/** Condition: the names, the address or the reference of the customer with this id are like the pattern. */
export const customerIsLike = (tx: Tx, id: Part, pattern: string): Part => part`
  exists (select from customers c where c.organisation_id = ${tx.organisation} and c.id = ${id}
    and ${CUSTOMER_SEARCH_TEXT} ilike ${pattern})`;

/** Joins the customer `c` with this id. */
export const joinCustomer = (tx: Tx, id: Part): Part =>
  part`join customers c on c.organisation_id = ${tx.organisation} and c.id = ${id}`;

/**
 * The customer `c` with this id, as the rest of a sub-select: `(select c.email ${fromCustomer(tx,
 * part`o.customer_id`)})`.
 */
export const fromCustomer = (tx: Tx, id: Part | string): Part =>
  part`from customers c where c.organisation_id = ${tx.organisation} and c.id = ${id}`;
