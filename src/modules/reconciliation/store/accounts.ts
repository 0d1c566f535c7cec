// Writes: reconciliation_accounts, reconciliation_rules. Reads: reconciliation_runs.

import { type ListQuery, newestFirst, onPage } from "../../../domain/lists.ts";
import type { ReconciliationAccountsRow, ReconciliationRulesRow } from "../../../domain/rows.ts";
import type { GatewayAccountId } from "../../../kernel/ids.ts";
import type { Cents } from "../../../kernel/money.ts";
import type { CalendarDay, Instant } from "../../../kernel/time.ts";
import { part, type Tx, when } from "../../../platform/database.ts";
import type { Rule } from "../types.ts";

/** The last mapping of columns that was given for a bank account; null when there is none. */
export async function mappingOf(tx: Tx, account: string): Promise<object | null> {
  const [row] = await tx.sql<ReconciliationAccountsRow>`
    select * from reconciliation_accounts where organisation_id = ${tx.organisation} and account = ${account}`;
  return (row?.mapping as object | null | undefined) ?? null;
}

/** The stored settings of a bank account; null leaves the stored value unchanged. */
export interface KeptOfBankAccount {
  readonly mapping: object | null;
  /** The bank transfer account whose transfers arrive at it. */
  readonly gatewayAccountId: GatewayAccountId | null;
}

/** Stores the settings of a bank account. */
export function keepBankAccount(
  tx: Tx,
  account: string,
  { mapping, gatewayAccountId }: KeptOfBankAccount,
  now: Instant,
): void {
  tx.queue`
    insert into reconciliation_accounts as a (organisation_id, account, mapping, gateway_account_id, updated_at)
    values (${tx.organisation}, ${account}, ${mapping === null ? null : JSON.stringify(mapping)}, ${gatewayAccountId}, ${now})
    on conflict (organisation_id, account) do update
      set mapping = coalesce(excluded.mapping, a.mapping), gateway_account_id = coalesce(excluded.gateway_account_id, a.gateway_account_id),
          updated_at = excluded.updated_at`;
}

/** A bank account whose statements were imported. */
export interface ImportedBankAccount extends KeptOfBankAccount {
  readonly account: string;
  /** The last day of its statements. */
  readonly through: CalendarDay | null;
  readonly updatedAt: Instant;
}

/** By their names. */
export async function listBankAccounts(tx: Tx): Promise<ImportedBankAccount[]> {
  const rows = await tx.sql<ReconciliationAccountsRow & { readonly through: CalendarDay | null }>`
    select a.*, (select max(r.period_end) from reconciliation_runs r where r.organisation_id = ${tx.organisation} and r.account = a.account
                    and r.status <> 'failed' and r.withdrawn_at is null) as through
      from reconciliation_accounts a where a.organisation_id = ${tx.organisation} order by a.account`;
  return rows.map((row) => ({
    account: row.account,
    mapping: (row.mapping as object | null) ?? null,
    gatewayAccountId: row.gateway_account_id,
    through: row.through,
    updatedAt: row.updated_at,
  }));
}

/** The money that matched lines of statements have shown in a bank account, less what they show that left it. */
export interface MatchedOfBankAccount {
  readonly currency: string;
  readonly account: string;
  readonly amount: Cents;
}

/** By the totals of the statements, which are kept with each match. */
export const matchedByAccount = (tx: Tx): Promise<MatchedOfBankAccount[]> => tx.sql<MatchedOfBankAccount>`
  select currency, account, sum(matched_cents)::bigint as amount from reconciliation_runs
   where organisation_id = ${tx.organisation} and source = 'csv_upload' group by 1, 2 having sum(matched_cents) <> 0 order by 1, 2`;

const ruleFromRow = (row: ReconciliationRulesRow): Rule => ({
  id: row.id,
  account: row.account,
  fragment: row.fragment,
  direction: row.direction,
  kind: row.kind,
  subject: row.subject as GatewayAccountId | null,
  status: row.status,
  itemId: row.item_id,
  decidedAt: row.decided_at,
  createdAt: row.created_at,
});

/** Proposes a rule, unless the account already has one for these words, in any state. */
export function proposeRule(tx: Tx, rule: Rule): void {
  tx.queue`
    insert into reconciliation_rules (organisation_id, id, account, fragment, direction, kind, subject, status, item_id, created_at)
    values (${tx.organisation}, ${rule.id}, ${rule.account}, ${rule.fragment}, ${rule.direction}, ${rule.kind}, ${rule.subject}, 'proposed',
      ${rule.itemId}, ${rule.createdAt})
    on conflict (organisation_id, account, fragment, direction) do nothing`;
}

/** The rules of an account that staff have accepted. */
export async function acceptedRules(tx: Tx, account: string): Promise<Rule[]> {
  const rows = await tx.sql<ReconciliationRulesRow>`
    select * from reconciliation_rules where organisation_id = ${tx.organisation} and account = ${account} and status = 'accepted'`;
  return rows.map(ruleFromRow);
}

/** Newest first. */
export async function listRules(tx: Tx, query: ListQuery<"status" | "account">): Promise<Rule[]> {
  const { status, account, q } = query;
  const rows = await tx.sql<ReconciliationRulesRow>`
    select * from reconciliation_rules where organisation_id = ${tx.organisation}
      ${when(status, (value) => part`and status = ${value}`)}
      ${when(account, (value) => part`and account = ${value}`)}
      ${onPage(query, part`id`)}
      ${when(q || null, (value) => part`and strpos(lower(fragment), lower(${value})) > 0`)}
     ${newestFirst(query, part`id`)}`;
  return rows.map(ruleFromRow);
}

/** Accepts or declines a rule, also one that was decided before. Answers it before and after; null when there is no such rule. */
export async function decideRule(
  tx: Tx,
  id: string,
  status: "accepted" | "declined",
  now: Instant,
): Promise<{ readonly before: Rule; readonly after: Rule } | null> {
  const [before] = await tx.sql<ReconciliationRulesRow>`
    select * from reconciliation_rules where organisation_id = ${tx.organisation} and id = ${id}`;
  const [after] = await tx.sql<ReconciliationRulesRow>`
    update reconciliation_rules set status = ${status}, decided_at = ${now} where organisation_id = ${tx.organisation}
        and id = ${id} returning *`;
  return before && after ? { before: ruleFromRow(before), after: ruleFromRow(after) } : null;
}
