import { AWAITED_PAYMENTS } from "./fill-awaited.ts";
import { sqlCustomerId, sqlTransactionId } from "./names.ts";
import type { BenchServer } from "./server.ts";

/* Bank transfers of an organisation, paid one after the other by its customers in turn, and statements that show some of them. */

/** The number of customers who pay the transfers. */
const PAYERS = 1000;
/** Seconds between two transfers. */
const APART = 26;

/** SQL for the reference of transfer `n`. */
const sqlTransferReference = "('EFT-' || translate(lpad(n::text, 8, '0'), '01', 'ZY'))";
/** SQL for the amount of transfer `n` in cents: many share it. */
const sqlTransferCents = "(10000 + (n::bigint * 7919) % 40000)";
/** SQL for the number of the customer of transfer `n`. */
const sqlPayer = `(n % ${PAYERS})`;
const surname = (payer: string) => `'Payer' || translate((1000 + ${payer})::text, '0123456789', 'ABCDEFGHIJ')`;

/** Adds `count` completed transfers, numbered from 0, the newest first, to the organisation's account for transfers. */
export async function fillTransfers(
  { query }: BenchServer,
  url: string,
  organisation: string,
  count: number,
): Promise<void> {
  const id = `'${organisation}'`;
  await query(
    url,
    `set session_replication_role = replica;
     insert into customers (organisation_id, id, account_code, first_name, last_name, created_at, updated_at)
     select ${id}, ${sqlCustomerId("0", "n")}, 'C-' || n, 'Thandi', ${surname("n")}, now(), now() from generate_series(0, ${PAYERS - 1}) n;
     insert into transactions (organisation_id, id, reference, status, amount_cents, currency, type, gateway_account_id, gateway_type, sandbox, customer_id, paid_at,
       created_at)
     select ${id}, ${sqlTransactionId("0", "n")}, ${sqlTransferReference}, 'complete', ${sqlTransferCents}, 'ZAR', 'eft', g.id, g.type, true,
       ${sqlCustomerId("0", sqlPayer)}, now() - interval '1 day' - n * interval '${APART} seconds', now() - interval '1 day' - n * interval '${APART} seconds'
       from generate_series(0, ${count - 1}) n cross join gateway_accounts g where g.organisation_id = ${id} and g.type = 'manual_eft';
     ${AWAITED_PAYMENTS}`,
  );
  await query(url, "vacuum analyze customers, transactions, awaited_payments");
  await query(url, "checkpoint");
}

/** A line of a statement of the transfers `from` to `from + count - 1`. */
interface StatementRow {
  readonly [column: string]: string;
  readonly date: string;
  readonly description: string;
  readonly amount: string;
}

/** SQL for the lines of a statement: `n`, `says`, `date`, `description`, `amount_cents`. */
export const sqlStatementLines = (organisation: string, from: number, count: number): string => `
  select n, says, (paid_at at time zone 'Africa/Johannesburg')::date as date, amount_cents,
         case says when 'reference' then 'FNB OB PMT ' || reference || ' THANDI' when 'customer' then 'MAGTAPE CREDIT ' || upper(${surname(sqlPayer)})
              else 'POS PURCHASE ' || n end as description
    from (select n, case when n % 50 = 7 then 'nothing' when n % 25 in (3, 11) then 'customer' else 'reference' end as says,
                 ${sqlTransferReference} as reference from generate_series(${from}, ${from + count - 1}) n) l
    join lateral (select t.paid_at, case when says = 'nothing' then -t.amount_cents - 7000000 else t.amount_cents end as amount_cents
                    from transactions t where t.organisation_id = '${organisation}' and t.id = ${sqlTransactionId("0", "n")}) t on true
   order by n desc`;

/** The statement as CSV, in the columns of the interface. */
export async function statementCsv(
  { query }: BenchServer,
  url: string,
  organisation: string,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<string> {
  const rows = await query<StatementRow>(
    url,
    `select date::text, description, trunc(amount_cents / 100.0, 2)::numeric(14, 2)::text as amount from (${sqlStatementLines(organisation, from, count)}) s`,
  );
  return [
    "date,description,amount",
    ...rows.map(({ date, description, amount }) => `${date},${description},${amount}`),
    "",
  ].join("\n");
}
