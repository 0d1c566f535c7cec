import { calendarDay, startOfDay } from "../../kernel/time.ts";
import type { InvoiceSpans } from "../../modules/invoices/store/list.ts";
import type { Missed } from "../../modules/invoices/types.ts";
import type { Ctx } from "../context.ts";
import { firstDayOfFailures, firstDayOfFigures } from "../overview/read-overview.ts";

/** The filters of the list and the export of invoices, as times. */
export const invoiceSpans = (
  { now }: Ctx,
  {
    missed,
    owing,
  }: { readonly missed?: Missed["outcome"] | undefined; readonly owing?: "open" | "overdue" | undefined },
): InvoiceSpans => ({
  missed:
    missed === undefined
      ? null
      : {
          outcome: missed,
          from: startOfDay(firstDayOfFigures(now)),
          failedFrom: startOfDay(firstDayOfFailures(now)),
        },
  dueBefore: owing === "overdue" ? calendarDay(now) : owing && "any",
});
