import { toRand } from "../../kernel/money.ts";
import type { GatewayCall, RefundAbility, RefundRequest } from "../contract.ts";
import type { RefundFact } from "../facts.ts";
import { GatewayUnclear } from "../http.ts";
import { refusedRefund } from "../refusals.ts";
import { askGraphql } from "./v2-client.ts";
import * as wire from "./v2-wire.ts";

const FIELDS = "id status { __typename } amount nonce paymentInitiationRequest { id externalReference }";

const INITIATE = `mutation CreateRefund(
  $amount: MoneyInput!, $reason: RefundReason!, $nonce: String!, $beneficiaryReference: String!, $paymentRequestId: ID!
) {
  clientRefundInitiate(input: {
    amount: $amount, reason: $reason, nonce: $nonce, beneficiaryReference: $beneficiaryReference,
    paymentRequestId: $paymentRequestId
  }) {
    refund { ${FIELDS} }
  }
}`;

const FIND = `query FindRefund($id: ID!) { node(id: $id) { ... on Refund { ${FIELDS} } } }`;

const KINDS = new Map<string, RefundFact["kind"]>([
  ["completed", "processed"],
  ["error", "refused"],
]);

function refundFact({ id, status, amount, nonce, paymentInitiationRequest: payment }: wire.RefundNode): RefundFact {
  // Stitch pauses a refund while the merchant's float is empty: it goes on later.
  const kind = KINDS.get(status) ?? "pending";
  return {
    about: "refund",
    kind,
    occurredAt: null,
    gatewayWord: status,
    refundId: nonce ?? null,
    providerRefundRef: id,
    reference: payment?.externalReference ?? null,
    paymentRef: payment?.id ?? null,
    amount: amount?.amount ?? null,
    ...(amount ? { currency: amount.currency } : {}),
    reason: kind === "refused" ? "Stitch could not make the refund." : null,
  };
}

/** Maps the reason to one of Stitch's own. */
const reasonOf = (reason: string | null): string =>
  /duplicat/i.test(reason ?? "") ? "duplicate" : /fraud/i.test(reason ?? "") ? "fraudulent" : "requested_by_user";

async function refund(request: RefundRequest, call: GatewayCall): Promise<RefundFact> {
  const { payment, refundId, amount } = request;
  const paymentRequestId = payment.providerRef ?? payment.checkoutRef;
  if (paymentRequestId === null) return refusedRefund(request, "Stitch's id of the payment is not known.");
  const variables = {
    amount: { quantity: toRand(amount), currency: payment.currency },
    reason: reasonOf(request.reason),
    nonce: refundId,
    beneficiaryReference: payment.reference,
    paymentRequestId,
  };
  const answer = await askGraphql(call, { query: INITIATE, variables }, wire.Initiated);
  if (answer.kind === "refused") return refusedRefund(request, answer.reason);
  return { ...refundFact(answer.value.clientRefundInitiate.refund), refundId, reference: payment.reference };
}

/** A refund by Stitch's id; null when there is none. Throws `GatewayUnclear` for a refusal, which gives no information about it. */
export async function findRefund(id: string, call: GatewayCall): Promise<RefundFact | null> {
  const answer = await askGraphql(call, { query: FIND, variables: { id } }, wire.FoundRefund);
  if (answer.kind === "refused") throw new GatewayUnclear(`Stitch: ${answer.reason}`);
  return answer.value.node && refundFact(answer.value.node);
}

/** Refunds of payment requests. Each carries our id as its nonce, so that Stitch makes it once, however often it is asked. */
export const v2Refunds: RefundAbility = {
  refund,
  // One whose id is not known is asked for again, under the same nonce.
  query: async ({ providerRefundRef }, call) =>
    providerRefundRef === null ? null : findRefund(providerRefundRef, call),
};
