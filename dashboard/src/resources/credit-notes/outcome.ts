import type { Shape } from "../../api/client.ts";
import { formatMoney, sumOf } from "../../lib/money.ts";

type Invoice = Pick<Shape<"Invoice">, "id" | "number" | "issueDate" | "amountDue" | "currency">;

const cents = (amount: number) => Math.round(amount * 100);

/**
 * What a credit note over `amount` does, in sentences: it is taken off the open invoices of its currency, oldest first (interface 4.14). `all` is
 * false when the customer has further open invoices, so that nobody knows here which are the oldest.
 */
export function outcomeOf(amount: number, currency: string, open: readonly Invoice[], all: boolean): string[] {
  if (!(amount > 0)) return ["Nothing, until an amount is given."];
  const total = formatMoney(amount, currency);
  if (!all) return [`${total} is taken off what the customer owes, oldest invoice first.`];
  const said: string[] = [];
  let left = cents(amount);
  for (const { number, amountDue } of oldestFirst(open.filter((one) => one.currency === currency))) {
    if (left === 0) break;
    const taken = Math.min(left, cents(amountDue));
    left -= taken;
    const rest = cents(amountDue) - taken;
    const after =
      rest === 0 ? "nothing of it is to pay any more" : `${formatMoney(rest / 100, currency)} is still to pay`;
    said.push(`${formatMoney(taken / 100, currency)} is taken off ${number}: ${after}.`);
  }
  if (left > 0) said.push(`${formatMoney(left / 100, currency)} waits for the customer's next invoice.`);
  return said;
}

const oldestFirst = (invoices: readonly Invoice[]) =>
  invoices.toSorted((one, other) => `${one.issueDate} ${one.id}`.localeCompare(`${other.issueDate} ${other.id}`, "en"));

/** The total of amounts that are being typed; what is not a number yet counts as nothing. */
export const totalOf = (amounts: readonly (number | string)[]): number =>
  sumOf(amounts.map((amount) => Number(amount) || 0));
