import { mandateRejection, newSandboxId } from "../../gateways/sandbox/server.ts";
import type { Mandate, MandateRequest } from "../../gateways/sandbox/wire.ts";
import { ApiError } from "../../kernel/errors.ts";
import { cents } from "../../kernel/money.ts";
import { toTimestamp } from "../../kernel/time.ts";
import {
  decideSandboxMandate,
  findSandboxMandate,
  insertSandboxMandate,
} from "../../modules/sandbox-gateway/store/mandates.ts";
import type { SandboxMandateRecord } from "../../modules/sandbox-gateway/types.ts";
import { gatewayOf } from "../gateways/accounts.ts";
import type { Services } from "../services.ts";
import type { SandboxMerchant } from "./merchant.ts";
import { referenceTaken, requireOwnUrls } from "./refusals.ts";
import { report } from "./report.ts";

/** The part of a mandate that is stored as JSON. */
type Details = Pick<MandateRequest, "description" | "frequency" | "debitDay" | "startDate" | "notifyUrl">;

/** A mandate of the sandbox gateway. */
export type SandboxMandate = Omit<SandboxMandateRecord, "details"> & Details;

const mandateOf = ({ details, ...facts }: SandboxMandateRecord): SandboxMandate => ({
  ...facts,
  ...(details as Details),
});

/** The path of the payer's page, below {base_url}. */
const payerPath = ({ accountId, id }: SandboxMandate): string => `/sandbox-gateway/mandate/${accountId}/${id}`;

/** The mandate as API and notifications show it. */
export const mandateView = ({ baseUrl }: Pick<Services, "baseUrl">, mandate: SandboxMandate): Mandate => ({
  accountReference: mandate.accountReference,
  status: mandate.status,
  signUrl: baseUrl + payerPath(mandate),
  reason: mandate.reason,
  updatedAt: toTimestamp(mandate.updatedAt),
});

/**
 * `POST /mandates`: the mandate waits for the payer, or is rejected for its bank account; a repeated request returns
 * the same mandate. Throws 400 for an address outside of this service, 409 when the reference belongs to another
 * mandate, or the account has no mandates.
 */
export async function createMandate(
  services: Services,
  { ctx, account }: SandboxMerchant,
  request: MandateRequest,
): Promise<SandboxMandate> {
  requireOwnUrls(services, request, ["notifyUrl"]);
  if (!gatewayOf(account).adapter.eMandates) throw new ApiError("invalid_state", 409, "This account has no mandates.");
  const { accountReference, description, frequency, debitDay, startDate, notifyUrl, bank } = request;
  const reason = mandateRejection(bank.number);
  const asked: SandboxMandateRecord = {
    id: newSandboxId("sba"),
    accountId: account.id,
    accountReference,
    status: reason === null ? "waiting" : "rejected",
    reason,
    amount: cents(request.amount),
    details: { description, frequency, debitDay, startDate, notifyUrl } satisfies Details,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  };
  const record = await services.db.transaction(ctx.organisation.id, (tx) => {
    insertSandboxMandate(tx, asked);
    return findSandboxMandate(tx, account.id, accountReference);
  });
  if (record?.amount !== asked.amount) throw referenceTaken();
  return mandateOf(record);
}

/** The mandate with this reference of the merchant, or this id of its page; null when there is none. */
export async function findMandate(
  services: Services,
  { ctx, account }: SandboxMerchant,
  name: string,
): Promise<SandboxMandate | null> {
  const record = await services.db.read(ctx.organisation.id, (tx) => findSandboxMandate(tx, account.id, name));
  return record && mandateOf(record);
}

/** The payer's possible answers on the mandate's page; `cancelled` leaves it waiting. */
export type MandateChoice = "complete" | "failed" | "cancelled";

/** The mandate after the payer's answer. */
const answered = (mandate: SandboxMandate, choice: Exclude<MandateChoice, "cancelled">): SandboxMandate =>
  choice === "complete"
    ? { ...mandate, status: "accepted", reason: null }
    : { ...mandate, status: "rejected", reason: "The payer declined the mandate." };

/**
 * Stores the payer's answer and reports it. Null when there is an earlier answer, and for `cancelled`, which leaves the
 * mandate waiting.
 */
export async function answerMandate(
  services: Services,
  merchant: SandboxMerchant,
  mandate: SandboxMandate,
  choice: MandateChoice,
): Promise<SandboxMandate | null> {
  const { ctx } = merchant;
  if (choice === "cancelled") return null;
  const decided = { ...answered(mandate, choice), updatedAt: ctx.now };
  const held = await services.db.transaction(ctx.organisation.id, (tx) =>
    decideSandboxMandate(tx, { ...decided, details: {} }),
  );
  if (!held) return null;
  await report(services, merchant, decided.notifyUrl, { type: "mandate", mandate: mandateView(services, decided) });
  return decided;
}

/**
 * The mandate with the given status, stored only while it waits for the payer's answer. Null when the account has no
 * such mandate.
 */
export async function withMandateStatus(
  services: Services,
  merchant: SandboxMerchant,
  accountReference: string,
  status: MandateChoice | "pending",
): Promise<SandboxMandate | null> {
  const mandate = await findMandate(services, merchant, accountReference);
  if (!mandate) return null;
  const { ctx } = merchant;
  if (status === "pending" || status === "cancelled") return { ...mandate, status: "waiting", reason: null };
  const changed = { ...answered(mandate, status), updatedAt: ctx.now };
  await services.db.transaction(ctx.organisation.id, (tx) => decideSandboxMandate(tx, { ...changed, details: {} }));
  return changed;
}
