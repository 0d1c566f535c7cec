import type { Answer, Refusal, StaffCall, TestApi } from "./api.ts";
import { addOrder, addTransfers, type EftOrderBody, review } from "./eft.ts";
import { type Invoicing, openInvoicing } from "./invoices.ts";
import { formOf } from "./uploads.ts";

/** Interface 2.14, as JSON. */
export interface RunBody {
  readonly object: string;
  readonly id: string;
  readonly source: string;
  readonly account: string;
  readonly status: string;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly fileName: string | null;
  readonly failure: string | null;
  readonly periodStart: string;
  readonly periodEnd: string;
  readonly totals: Readonly<Record<string, number>>;
  readonly currency: string;
  readonly items: readonly ItemBody[];
}
export interface ItemBody {
  readonly id: string;
  readonly date: string;
  readonly description: string;
  readonly amount: number;
  readonly status: string;
  readonly reference: string | null;
  readonly transactionReference: string | null;
  readonly reason: string | null;
  readonly received?: { readonly itemId: string; readonly runId: string; readonly date: string };
  readonly matchedBy?: string | null;
  readonly allocations?: readonly { kind: string; id: string | null; invoiceId: string | null; amount: number }[];
}

/** A statement in the columns of the interface: date, description, amount, reference. */
export const statementOf = (...rows: readonly (readonly [string, string, number | string, string?])[]): string =>
  [
    "date,description,amount,reference",
    ...rows.map(([date, description, amount, reference = ""]) => `${date},"${description}",${amount},${reference}`),
    "",
  ].join("\n");

/** Posts a statement with the fields of a form. */
export async function uploadStatement<T>(
  staff: StaffCall,
  path: string,
  content: string | Buffer,
  fields: Readonly<Record<string, string>>,
): Promise<Answer<T>> {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const texts = Object.entries(fields).map(([field, text]) => ({ field, text }));
  const { body, headers } = await formOf(...texts, { field: "file", name: "statement.csv", bytes });
  return staff("POST", path, body, headers);
}

/** Imports a statement as staff. */
export const importFile = (
  staff: StaffCall,
  content: string | Buffer,
  fields: Readonly<Record<string, string>> = {},
): Promise<Answer<RunBody & Refusal>> =>
  uploadStatement(staff, "/reconciliation/imports", content, { account: "Cheque", ...fields });

/** As `importFile`; throws when it is refused. */
export async function imported(
  staff: StaffCall,
  content: string | Buffer,
  fields: Readonly<Record<string, string>> = {},
): Promise<RunBody> {
  const answer = await importFile(staff, content, fields);
  if (answer.status !== 201) throw new Error(`not imported: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** A merchant with invoices and bank transfers, and a member of the finance staff. */
export interface Reconciling extends Invoicing {
  readonly staff: StaffCall;
  /** A bank transfer that staff have approved. */
  paid(amount: number, fields?: object): Promise<EftOrderBody>;
}

/** Adds a merchant to the API. */
export async function openReconciling(api: TestApi): Promise<Reconciling> {
  const invoicing = await openInvoicing(api);
  await addTransfers(invoicing.merchant);
  const staff = await invoicing.merchant.signIn("finance");
  const paid = async (amount: number, fields: object = {}) => {
    const order = await addOrder(invoicing.merchant, { amount, ...fields });
    const { status, text } = await review(staff, order.id, "approve");
    if (status !== 200) throw new Error(`not approved: ${status} ${text}`);
    return order;
  };
  return { ...invoicing, staff, paid };
}

/** Balances of all ledger accounts in cents, without those that are zero. */
export async function ledgerBalances(
  api: TestApi,
  { merchant }: Reconciling,
): Promise<Readonly<Record<string, number>>> {
  const rows = await api.query<{ account: string; sum: string }>(
    "select account, sum(amount_cents) from journal_lines where organisation_id = $1 group by account having sum(amount_cents) <> 0 order by account",
    merchant.organisation.id,
  );
  return Object.fromEntries(rows.map(({ account, sum }) => [account, Number(sum)]));
}
