// Writes nothing. Reads: transactions, gateway_accounts (whose references are searched).

import type { TransactionId } from "../../../kernel/ids.ts";
import { NOTHING, type Part, part, type Tx } from "../../../platform/database.ts";
import { begins, NEAREST, pageOfFound } from "../../../platform/found.ts";
import type { ListFilter, ListQuery } from "../../../platform/schema.ts";

/** The filters of the list and the export of payments, except times. */
export type TransactionFilter = ListFilter<
  "status" | "flag" | "paymentLinkId" | "customerId" | "externalReference" | "currency"
>;

/**
 * Condition: `q` is the beginning of our reference, of the merchant's, or of the address of a payer who is no customer; or the gateway's
 * reference, the amount, the customer or the id. An index finds each of these.
 */
export function matches(tx: Tx, { q, named }: TransactionFilter): Part {
  if (!q) return NOTHING;
  return named
    ? part`and (${begins(part`reference`, named.references)} or ${begins(part`external_reference`, [named.text])}
        or provider_ref = ${named.text}
        and gateway_account_id = any (array(select a.id from gateway_accounts a where a.organisation_id = ${tx.organisation}))
        or customer_id is null and payer_email is not null and (${begins(part`payer_email collate "C"`, named.addresses)})
        or amount_cents = ${named.amount}::bigint or customer_id = any (${named.customers}::text[]) or id = ${named.text})`
    : part`and false`;
}

/** The ids of one page of the transactions that match `wanted` and `q`. */
export const foundTransactions = (tx: Tx, query: TransactionFilter & Pick<ListQuery, "limit">, wanted: Part) =>
  pageOfFound(
    query.limit,
    () => tx.sql<{ id: TransactionId }>`
      select id from (select * from transactions where organisation_id = ${tx.organisation} ${wanted} order by id desc
                      limit ${NEAREST}) transactions
       where true ${matches(tx, query)} order by id desc limit ${query.limit}`,
    () => tx.sql<{ id: TransactionId }>`
      with found as materialized (select id from transactions where organisation_id = ${tx.organisation} ${wanted} ${matches(tx, query)})
      select id from found order by id desc limit ${query.limit}`,
  );
