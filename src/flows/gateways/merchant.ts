import type { Credentials, GatewayCall } from "../../gateways/contract.ts";
import { credentialOf } from "../../gateways/credentials.ts";
import { ApiError } from "../../kernel/errors.ts";
import { findOpenAtGateway, newestAtGateway } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { ABANDONED_AFTER_SECONDS } from "../../modules/payments/rules.ts";
import { findTransaction } from "../../modules/payments/store/payments.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { credentialsOf, gatewayCallOf, gatewayOf } from "./accounts.ts";
import { askGateway } from "./ask-gateway.ts";
import { identityOf } from "./payment-identity.ts";

/** An account before and after a change of its credentials, not stored yet. */
interface Change {
  readonly before: GatewayAccount;
  readonly after: GatewayAccount;
}

const otherMerchant = (gateway: string, what: string): ApiError =>
  new ApiError(
    "invalid_state",
    409,
    `These credentials are another merchant's at ${gateway}, and ${what}. What is reported of it would be lost. ` +
      "Add another account for the other merchant, and disable this one.",
  );

/** Whether the credentials that name the merchant have changed. */
function namesAnother(ctx: Ctx, { before, after }: Change): boolean {
  const [old, given]: Credentials[] = [before, after].map((account) => credentialsOf(ctx, account));
  const { credentialFields } = gatewayOf(before).adapter;
  return credentialFields.some(
    (field) => field.namesMerchant && credentialOf(field, old ?? {}) !== credentialOf(field, given ?? {}),
  );
}

/**
 * Throws 409 `invalid_state` when the change gives the account to another merchant while something of it is open: a
 * payment that may still be paid, a refund, a subscription that the gateway runs, a saved card, a mandate. Reads
 * everything but the account, which the caller locks before it stores the change.
 */
export async function requireSameMerchant(tx: Tx, ctx: Ctx, change: Change): Promise<void> {
  if (!namesAnother(ctx, change)) return;
  const open = await findOpenAtGateway(tx, change.before.id, ctx.now, ABANDONED_AFTER_SECONDS);
  if (open) throw otherMerchant(gatewayOf(change.before).adapter.name, `${open} of this account is open`);
}

/**
 * Like `requireSameMerchant`, for gateways whose credentials are only keys, which may have been renewed: they are
 * another merchant's when the gateway knows the account's newest payment by the old keys and not by the new ones. Calls
 * the gateway, so never inside a transaction.
 */
export async function requireKeysOfMerchant(services: Services, ctx: Ctx, { before, after }: Change): Promise<void> {
  const { adapter } = gatewayOf(before);
  const { checkout, credentialFields, name } = adapter;
  const [old, given] = [before, after].map((account) => JSON.stringify(credentialsOf(ctx, account)));
  if (old === given || !checkout || adapter.simulated || credentialFields.some(({ namesMerchant }) => namesMerchant))
    return;
  const found = await services.db.read(ctx.organisation.id, async (tx) => {
    const open = await findOpenAtGateway(tx, before.id, ctx.now, ABANDONED_AFTER_SECONDS);
    const newest = open && (await newestAtGateway(tx, before.id));
    const payment = newest && (await findTransaction(tx, newest));
    return payment && { open, identity: identityOf(payment) };
  });
  if (!found) return;
  const { open, identity } = found;
  const knows = async (account: GatewayAccount) => {
    const call: GatewayCall = gatewayCallOf(services, ctx.organisation, account, ctx.now);
    const about = { tested: account.type, payment: identity.reference };
    return askGateway(services, about, () => checkout.query(identity, call));
  };
  if ((await knows(after)) === null && (await knows(before)) !== null)
    throw otherMerchant(name, `${open} of this account is open`);
}
