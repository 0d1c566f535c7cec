import { accountFault, type BankDetails } from "../../kernel/bank-details.ts";
import { invalidField } from "../../kernel/errors.ts";
import type { GatewayAccount } from "../../modules/gateway-accounts/types.ts";
import { checkDigits } from "../../modules/mandates/rules.ts";
import type { Ctx } from "../context.ts";
import { bankDetailsOf, gatewayOf, isSandboxPayment } from "./accounts.ts";

type Account = Pick<BankDetails, "accountNumber" | "branchCode">;

/**
 * Throws 400, at `path`, for an account that no bank has, and for a number whose check digits are wrong at a bank where
 * every such number is (decisions.md#check-digits-refuse-only-what-is-proved).
 */
export function refuseWrongAccount(path: readonly string[], bank: Account): void {
  refuseImpossible(path, bank);
  const [branch = "", number = ""] = [bank.branchCode, bank.accountNumber].map((text) =>
    text.replaceAll(/[\s-]/gu, ""),
  );
  if (checkDigits(branch, number) === "wrong")
    throw invalidField([...path, "accountNumber"], "This is no account number of the bank with this branch code.");
}

function refuseImpossible(path: readonly string[], bank: Account): void {
  const fault = accountFault(bank);
  if (fault) throw invalidField([...path, fault.field], fault.message);
}

/**
 * Like `refuseWrongAccount`, for the account of a gateway that receives payers' bank transfers; in a sandbox without
 * the check digits.
 */
export function refuseWrongTransferAccount(ctx: Ctx, account: GatewayAccount): void {
  if (!gatewayOf(account).adapter.manualBankTransfer) return;
  const refuse = isSandboxPayment(ctx.organisation, account) ? refuseImpossible : refuseWrongAccount;
  refuse(["credentials"], bankDetailsOf(ctx, account));
}
