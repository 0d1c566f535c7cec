import { ApiError, notFound } from "../../kernel/errors.ts";
import { type CalendarDay, calendarDay } from "../../kernel/time.ts";
import { shownNextDebitDate } from "../../modules/mandates/rules.ts";
import { stageOf } from "../../modules/mandates/states.ts";
import { listMandates } from "../../modules/mandates/store.ts";
import type { MandateRecord, MandateStage } from "../../modules/mandates/types.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import { type Ctx, isReadOnlyNow } from "../context.ts";
import { issueAgreement } from "../mandates/issue-agreement.ts";
import { lockMandateForChange } from "../mandates/read-mandate.ts";
import { currentSettings } from "../organisations/settings.ts";
import { actAsCustomer, readAsCustomer } from "../portal-access/portal-session.ts";
import type { Services } from "../services.ts";

const MANDATES_SHOWN = 20;

/** A mandate as its customer sees it. */
export interface PortalMandate {
  readonly mandate: MandateRecord;
  readonly stage: MandateStage;
  /** The date of the next debit; null when there is none. */
  readonly nextDebitDate: CalendarDay | null;
  /** Whether the customer can sign its agreement here. */
  readonly maySign: boolean;
}

/** The debit orders of a customer. */
export interface PortalMandates {
  readonly settings: Settings;
  /** Newest first. */
  readonly mandates: readonly PortalMandate[];
  readonly readOnly: boolean;
}

/** Reads the customer's debit orders. Null when nobody is signed in. */
export const readPortalMandates = (services: Services, ctx: Ctx, session: string): Promise<PortalMandates | null> =>
  readAsCustomer(services, ctx, session, async (tx, { id }) => {
    const [settings, mandates] = await Promise.all([
      currentSettings(tx),
      listMandates(tx, { customerId: id, limit: MANDATES_SHOWN }),
    ]);
    const readOnly = isReadOnlyNow(ctx);
    const shown = mandates.map((mandate) => ({
      mandate,
      stage: stageOf(mandate),
      nextDebitDate: shownNextDebitDate(mandate, calendarDay(ctx.now)),
      maySign: !readOnly && isToSign(settings, mandate),
    }));
    return { settings, mandates: shown, readOnly };
  });

/**
 * Whether an agreement waits for its customer: by the mandate's authority, or because the settings require one in
 * addition (interface 4.10).
 */
const isToSign = (
  { debitOrders }: Settings,
  mandate: Pick<
    MandateRecord,
    "status" | "authority" | "authorisedAt" | "approvedAt" | "rejectedAt" | "agreementSignedAt"
  >,
): boolean =>
  mandate.status !== "cancelled" &&
  mandate.agreementSignedAt === null &&
  (debitOrders.requireSignedAgreement ||
    (mandate.authority === "agreement" && stageOf(mandate) === "awaiting_signature"));

/**
 * Issues the agreement of one of the customer's mandates; returns the URL on which it is signed, which only the
 * customer may see. An open agreement is withdrawn, since its URL is not stored. Null when nobody is signed in. Throws
 * 404, and 409 when nothing is to be signed.
 */
export const signPortalMandate = (
  services: Services,
  ctx: Ctx,
  session: string,
  mandateId: string,
): Promise<string | null> =>
  actAsCustomer(services, ctx, session, async (tx, { id }) => {
    const mandate = await lockMandateForChange(tx, mandateId);
    if (mandate.customerId !== id) throw notFound("mandate");
    if (!isToSign(await currentSettings(tx), mandate))
      throw new ApiError("invalid_state", 409, "There is nothing to sign for this debit order.");
    return (await issueAgreement(tx, ctx, mandate, { email: false, notes: null })).signUrl;
  });
