import { toTimestamp } from "../../kernel/time.ts";
import { anyInvoiceIssued } from "../../modules/documents/store.ts";
import { lastFailedMail } from "../../modules/emails/store.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import { listPeople } from "../../modules/members/store.ts";
import type { FirstSteps } from "../../modules/overview/schema.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { isManualTransfer } from "../gateways/accounts.ts";
import { currentSettings } from "../organisations/settings.ts";

/**
 * What a new organisation sets up before its first payment, in the order in which it is done, and whether mail leaves
 * this installation (interface 14.4).
 */
export async function readFirstSteps(tx: Tx, ctx: Ctx): Promise<FirstSteps> {
  const [{ branding, vatRegistered }, accounts, people, issued, failed] = await Promise.all([
    currentSettings(tx),
    listGatewayAccounts(tx),
    listPeople(tx, { limit: 2 }),
    anyInvoiceIssued(tx),
    lastFailedMail(tx),
  ]);
  const offered = accounts.filter(({ enabled }) => enabled);
  return {
    steps: [
      { key: "business", done: Boolean(branding.companyName && branding.address) },
      { key: "vat", done: !vatRegistered || Boolean(branding.vatNumber) },
      { key: "bank_details", done: offered.some(({ type }) => isManualTransfer(type)) },
      { key: "gateway", done: offered.some(({ type }) => !isManualTransfer(type)) },
      { key: "email", done: ctx.mailEnabled },
      { key: "team", done: people.length > 1 },
      { key: "first_invoice", done: issued },
    ],
    mail: {
      configured: ctx.mailEnabled,
      lastFailure: failed && { at: toTimestamp(failed.at), error: failed.error },
    },
  };
}
