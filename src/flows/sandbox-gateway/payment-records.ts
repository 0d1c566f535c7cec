import type { SandboxPayment } from "../../gateways/sandbox/server.ts";
import type { SandboxPaymentRecord } from "../../modules/sandbox-gateway/types.ts";
import type { SandboxMerchant } from "./merchant.ts";

/** What the books keep without looking at it. */
type Details = Omit<
  SandboxPayment,
  | "id"
  | "checkoutId"
  | "merchantId"
  | "reference"
  | "amount"
  | "currency"
  | "status"
  | "fee"
  | "createdAt"
  | "decidedAt"
>;

/** The payment behind its record. */
export const paymentOf = ({ merchantId }: SandboxMerchant, record: SandboxPaymentRecord): SandboxPayment => {
  const { accountId: _, details, ...facts } = record;
  return { ...facts, ...(details as Details), merchantId };
};

/** The record of a payment. */
export const recordOf = ({ account }: SandboxMerchant, payment: SandboxPayment): SandboxPaymentRecord => {
  const {
    id,
    checkoutId,
    merchantId: _,
    reference,
    amount,
    currency,
    status,
    fee,
    createdAt,
    decidedAt,
    ...rest
  } = payment;
  const details = rest satisfies Details;
  return {
    id,
    accountId: account.id,
    checkoutId,
    reference,
    amount,
    currency,
    status,
    fee,
    details,
    createdAt,
    decidedAt,
  };
};
