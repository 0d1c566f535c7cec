import type { SandboxSubscription } from "../../gateways/sandbox/subscriptions.ts";
import type { GatewayAccountId } from "../../kernel/ids.ts";
import type { SandboxSubscriptionRecord } from "../../modules/sandbox-gateway/types.ts";

/** The subscription behind its record. */
export const subscriptionOf = ({
  accountId: _,
  details,
  ...facts
}: SandboxSubscriptionRecord): SandboxSubscription => ({
  ...(details as Omit<SandboxSubscription, keyof typeof facts>),
  ...facts,
});

/** The record of a subscription of the account. */
export function subscriptionRecordOf(
  accountId: GatewayAccountId,
  subscription: SandboxSubscription,
): SandboxSubscriptionRecord {
  const { card, payer, description, notifyUrl, ...facts } = subscription;
  return { ...facts, accountId, details: { card, payer, description, notifyUrl } };
}
