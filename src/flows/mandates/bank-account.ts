import type { BankAccount } from "../../gateways/contract.ts";
import { last4 } from "../../modules/mandates/rules.ts";
import { ACCOUNT_NUMBER_COLUMN, ID_NUMBER_COLUMN } from "../../modules/mandates/store.ts";
import type { Mandate } from "../../modules/mandates/types.ts";
import type { Ctx } from "../context.ts";

type Owner = Pick<Ctx, "organisation" | "secrets">;

const sealedFor = ({ organisation }: Owner, column: string) => ({ organisation: organisation.id, column });

/** Encrypts a bank account number; returns it with the digits that are shown. */
export const sealAccountNumber = (ctx: Owner, number: string) => ({
  accountNumberSealed: ctx.secrets.seal(number, sealedFor(ctx, ACCOUNT_NUMBER_COLUMN)),
  accountNumberLast4: last4(number),
});

/** Encrypts an identity number; returns it with the characters that are shown; nulls when there is none. */
export const sealIdNumber = (ctx: Owner, number: string | null) => ({
  idNumberSealed: number === null ? null : ctx.secrets.seal(number, sealedFor(ctx, ID_NUMBER_COLUMN)),
  idNumberLast4: number === null ? null : last4(number),
});

/** The bank account to debit, with its whole number, which only a gateway may receive. */
export const bankAccountOf = (ctx: Owner, { bank }: Pick<Mandate, "bank">): BankAccount => ({
  holder: bank.accountHolder,
  number: ctx.secrets.open(bank.accountNumberSealed, sealedFor(ctx, ACCOUNT_NUMBER_COLUMN)),
  branchCode: bank.branchCode,
  type: bank.accountType,
});

/** The customer's whole identity number, which only a gateway may receive; null when none was given. */
export const idNumberOf = (ctx: Owner, { idNumberSealed }: Pick<Mandate, "idNumberSealed">): string | null =>
  idNumberSealed === null ? null : ctx.secrets.open(idNumberSealed, sealedFor(ctx, ID_NUMBER_COLUMN));
