import { addDays, calendarDay } from "../../kernel/time.ts";
import type { VatQuestion } from "../../modules/vat-returns/types.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { type Pdf, partiesOf, writePdf } from "../documents/parties.ts";
import type { Services } from "../services.ts";
import { vatFigures } from "./vat-return.ts";

const NOBODY = { name: null, address: null, vatNumber: null, email: null };

/** The figures of a VAT return as a PDF, with a file name from its last month. Throws 503 (`Renderer`). */
export async function vatReturnFile(services: Services, ctx: Ctx, asked: VatQuestion): Promise<Pdf> {
  const document = await services.db.read(ctx.organisation.id, async (tx) => ({
    ...(await partiesOf(tx, ctx, { id: null, customerId: "" })),
    ...(await vatFigures(tx, asked)),
    recipient: { ...NOBODY, company: "South African Revenue Service" },
    issueDate: calendarDay(ctx.now),
    currency: DEFAULT_CURRENCY,
    period: { start: calendarDay(asked.span.from), end: addDays(calendarDay(asked.span.until), -1) },
    basis: asked.basis === "payments" ? "Payments" : "Invoice",
  }));
  return writePdf(services, ctx, `vat201-${asked.month.slice(0, 7)}`, "vatReturn", document);
}
