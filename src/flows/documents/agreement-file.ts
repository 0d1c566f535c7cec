import { notFound } from "../../kernel/errors.ts";
import { calendarDay } from "../../kernel/time.ts";
import { findAgreement } from "../../modules/mandate-agreements/store.ts";
import { MANDATE_CURRENCY } from "../../modules/mandates/rules.ts";
import { findMandate } from "../../modules/mandates/store.ts";
import type { Tx } from "../../platform/database.ts";
import { agreementBlocks } from "../../templates/agreement.ts";
import type { AgreementDocument } from "../../templates/printed.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { type Pdf, partiesOf, writePdf } from "./parties.ts";

/** A mandate's agreement as a PDF, with the evidence of its signature once it is signed. Throws 404. */
export async function agreementFile(services: Services, ctx: Ctx, id: string, mandateId: string): Promise<Pdf> {
  const document = await services.db.read(ctx.organisation.id, (tx) => agreementDocument(tx, ctx, id, mandateId));
  return writePdf(services, ctx, document.accountReference, "agreement", document);
}

async function agreementDocument(tx: Tx, ctx: Ctx, id: string, mandateId: string): Promise<AgreementDocument> {
  const agreement = await findAgreement(tx, id);
  const mandate = agreement?.mandateId === mandateId ? await findMandate(tx, mandateId) : null;
  if (!agreement || !mandate) throw notFound("agreement");
  return {
    ...(await partiesOf(tx, ctx, { id: null, customerId: mandate.customerId })),
    issueDate: calendarDay(agreement.createdAt),
    currency: MANDATE_CURRENCY,
    accountReference: mandate.accountReference,
    blocks: agreementBlocks(agreement.document),
    sha256: agreement.documentSha256.toString("hex"),
    signature: agreement.signature,
  };
}
