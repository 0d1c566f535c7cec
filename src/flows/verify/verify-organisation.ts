import { ADAPTERS } from "../../gateways/registry.ts";
import { type BusinessDay, businessDay } from "../../kernel/time.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { examineCustomers, examineEntries } from "../../modules/verification/store/books.ts";
import {
  examineCreditNotes,
  examineEftOrders,
  examineNumbers,
  examineQuotes,
} from "../../modules/verification/store/documents.ts";
import { prepareExamination } from "../../modules/verification/store/examined.ts";
import {
  examineInvoiceEntries,
  examineInvoiceLines,
  examineInvoicePayments,
  examineInvoices,
  examineQuoteLines,
} from "../../modules/verification/store/invoices.ts";
import { examineDeliveries, examineEmails, examineEventSubjects } from "../../modules/verification/store/messages.ts";
import {
  examinePaymentLinks,
  examineRefunds,
  examineTransactionEvents,
  examineTransactions,
} from "../../modules/verification/store/payments.ts";
import type { Examined, Finding } from "../../modules/verification/types.ts";
import type { Tx } from "../../platform/database.ts";
import { clockOf, DEFAULT_CURRENCY } from "../context.ts";
import { isTransfer } from "../gateways/accounts.ts";
import type { Services } from "../services.ts";

/** A row that does not hold, and whose it is. */
export interface Fault extends Finding {
  /** The slug. */
  readonly organisation: string;
}

const PART_ROWS = 10_000;

/** Gateways whose money goes to the bank itself. */
const TRANSFERS = ADAPTERS.map(({ type }) => type).filter(isTransfer);

type Examination = (tx: Tx, after: string, limit: number, today: BusinessDay) => Promise<Examined>;

/** Everything that is recomputed (contract 3). Each examines one table, in parts of bounded time. */
const EXAMINATIONS: readonly Examination[] = [
  (tx, after, limit) => examineTransactions(tx, after, limit, TRANSFERS),
  examineTransactionEvents,
  examineRefunds,
  examineEntries,
  examinePaymentLinks,
  examineInvoices,
  examineInvoiceEntries,
  examineInvoicePayments,
  examineInvoiceLines,
  examineQuotes,
  examineQuoteLines,
  examineCreditNotes,
  examineEftOrders,
  examineNumbers,
  (tx, after, limit, today) => examineCustomers(tx, after, limit, { currency: DEFAULT_CURRENCY, today }),
  examineEventSubjects,
  examineDeliveries,
  examineEmails,
];

/**
 * Recomputes every total, balance and state of an organisation from its sources, part by part. May run beside the service: what must be
 * true together is written together, and each part is read in one snapshot.
 */
export async function* verifyOrganisation(
  { db }: Pick<Services, "db">,
  organisation: Pick<Organisation, "id" | "slug" | "clockAt">,
  partRows = PART_ROWS,
): AsyncGenerator<{ readonly rows: number; readonly faults: readonly Fault[] }> {
  const { id, slug } = organisation;
  const today = businessDay(clockOf(organisation));
  for (const examine of EXAMINATIONS)
    for (let after: string | null = ""; after !== null; ) {
      const from: string = after;
      const { rows, last, findings } = await db.transaction(id, (tx) => {
        prepareExamination(tx);
        return examine(tx, from, partRows, today);
      });
      yield { rows, faults: findings.map((finding) => ({ organisation: slug, ...finding })) };
      after = last;
    }
}
