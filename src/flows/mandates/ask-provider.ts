import type { EMandateAbility, GatewayAdapter, GatewayCall, Refusal } from "../../gateways/contract.ts";
import type { MandateFact } from "../../gateways/facts.ts";
import { requirePayerUrl, requireShortLink } from "../../gateways/payer-url.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { checkDigits, checkDigitWarning } from "../../modules/mandates/rules.ts";
import { stageOf } from "../../modules/mandates/states.ts";
import { findMandate } from "../../modules/mandates/store.ts";
import type { MandateRecord } from "../../modules/mandates/types.ts";
import type { Ctx } from "../context.ts";
import { gatewayCallOf, gatewayOf, isSandboxPayment, notifyUrlOf } from "../gateways/accounts.ts";
import { askGateway, type Unclear } from "../gateways/ask-gateway.ts";
import type { Services } from "../services.ts";
import { bankAccountOf, idNumberOf } from "./bank-account.ts";

/** The gateway's answer about an electronic mandate. */
export type EMandateAnswer = { readonly kind: "created"; readonly signUrl: string } | Refusal | MandateFact | Unclear;

/** The provider's answer about a new mandate. `eMandate` is null when no electronic mandate was requested. */
export interface ProviderAnswer {
  readonly warnings: readonly string[];
  readonly eMandate: EMandateAnswer | null;
}

interface Asked {
  readonly mandate: MandateRecord;
  readonly customer: Customer | null;
  readonly account: GatewayAccount;
  readonly adapter: GatewayAdapter;
  readonly call: GatewayCall;
}

async function readAsked(services: Services, ctx: Ctx, id: string): Promise<Asked | null> {
  const found = await services.db.read(ctx.organisation.id, async (tx) => {
    const mandate = await findMandate(tx, id);
    if (!mandate) return null;
    const [customer, account] = await Promise.all([
      findCustomer(tx, mandate.customerId),
      findGatewayAccount(tx, mandate.gatewayAccountId),
    ]);
    return account && { mandate, customer, account };
  });
  if (!found) return null;
  const call = gatewayCallOf(services, ctx.organisation, found.account, ctx.now);
  return { ...found, adapter: gatewayOf(found.account).adapter, call };
}

/**
 * Asks the provider about the bank account of a new mandate, and requests its electronic mandate, outside of any
 * transaction. With `again`, an earlier request may have been sent: the provider is first queried whether it has the
 * mandate.
 */
export async function askProvider(services: Services, ctx: Ctx, id: string, again: boolean): Promise<ProviderAnswer> {
  const asked = await readAsked(services, ctx, id);
  if (!asked) return { warnings: [], eMandate: null };
  const [warnings, eMandate] = await Promise.all([
    bankWarnings(services, ctx, asked),
    requestEMandate(services, ctx, asked, again),
  ]);
  return { warnings, eMandate };
}

/**
 * Requests the electronic mandate of a mandate for which it may have been requested before; null when its customer has
 * answered.
 */
export async function askForEMandate(services: Services, ctx: Ctx, id: string): Promise<EMandateAnswer | null> {
  const asked = await readAsked(services, ctx, id);
  return asked && requestEMandate(services, ctx, asked, true);
}

async function bankWarnings(
  services: Services,
  ctx: Ctx,
  { mandate, account, adapter, call }: Asked,
): Promise<string[]> {
  const bank = bankAccountOf(ctx, mandate);
  const own = isSandboxPayment(ctx.organisation, account)
    ? null
    : checkDigitWarning(checkDigits(bank.branchCode, bank.number), bank.branchCode);
  const check = adapter.bankAccountCheck;
  const answer = check
    ? await askGateway(services, { mandate: mandate.id, gateway: account.id }, () => check(bank, call))
    : { warnings: [] };
  const theirs =
    answer === "unclear" ? ["The gateway could not check the bank account at the moment."] : answer.warnings;
  return own === null ? [...theirs] : [own, ...theirs];
}

async function requestEMandate(
  services: Services,
  ctx: Ctx,
  asked: Asked,
  again: boolean,
): Promise<EMandateAnswer | null> {
  const { mandate, account, adapter, call } = asked;
  const { eMandates } = adapter;
  if (mandate.authority !== "emandate" || !eMandates || stageOf(mandate) !== "awaiting_signature") return null;
  return askGateway<Exclude<EMandateAnswer, Unclear>>(
    services,
    { mandate: mandate.id, gateway: account.id },
    async () => {
      const known = again ? await eMandates.query(mandate.accountReference, call) : null;
      const answer = known ?? (await eMandates.create(requestOf(ctx, asked), call));
      const require = eMandates.shortLinks ? requireShortLink : requirePayerUrl;
      if ("signUrl" in answer && answer.signUrl !== null) require(adapter, call, answer.signUrl);
      return answer;
    },
  );
}

const requestOf = (ctx: Ctx, { mandate, customer, account }: Asked): Parameters<EMandateAbility["create"]>[0] => ({
  accountReference: mandate.accountReference,
  amount: mandate.amount,
  amountVaries: mandate.subscriptionId !== null,
  frequency: mandate.frequency,
  debitDay: mandate.debitDay,
  startDate: mandate.startDate,
  description: mandate.description,
  payer: {
    email: customer?.email ?? null,
    firstName: customer?.firstName ?? null,
    lastName: customer?.lastName ?? null,
    phone: customer?.phone ?? null,
  },
  idNumber: idNumberOf(ctx, mandate),
  bank: bankAccountOf(ctx, mandate),
  notifyUrl: notifyUrlOf(ctx, account),
});
