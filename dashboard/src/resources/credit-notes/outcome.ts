import type { Shape } from "../../api/client.ts";
import { formatMoney, leftOf, sumOf } from "../../lib/money.ts";

type Invoice = Pick<Shape<"Invoice">, "id" | "number" | "issueDate" | "amountDue" | "currency">;

/** A credit note before it is issued. */
export interface Credit {
  readonly amount: number;
  readonly currency: string;
  /** The id of the invoice that it corrects. */
  readonly corrects: string | null;
}

/**
 * The effect of a credit note, in sentences: it reduces the invoice that it corrects, then the open invoices of its currency, oldest first
 * (interface 4.14). `all` is false when the customer has further open invoices, so that the oldest ones are not known here.
 */
export function outcomeOf({ amount, currency, corrects }: Credit, open: readonly Invoice[], all: boolean): string[] {
  if (!(amount > 0)) return ["Nothing, until an amount is given."];
  const total = formatMoney(amount, currency);
  const first = corrects === null ? "" : "the invoice that it corrects, then off ";
  if (!all) return [`${total} is deducted from ${first}what the customer owes, oldest invoice first.`];
  const said: string[] = [];
  let left = amount;
  for (const { number, amountDue } of inOrder(
    open.filter((one) => one.currency === currency),
    corrects,
  )) {
    if (left === 0) break;
    const taken = Math.min(left, amountDue);
    left = leftOf(left, taken);
    const rest = leftOf(amountDue, taken);
    const after = rest === 0 ? "nothing of it is to pay any more" : `${formatMoney(rest, currency)} is still to pay`;
    said.push(`${formatMoney(taken, currency)} is deducted from ${number}: ${after}.`);
  }
  if (left > 0) said.push(`${formatMoney(left, currency)} waits for the customer's next invoice.`);
  return said;
}

function inOrder(invoices: readonly Invoice[], first: string | null) {
  const place = ({ id, issueDate }: Invoice) => (id === first ? "" : `${issueDate} ${id}`);
  return invoices.toSorted((one, other) => place(one).localeCompare(place(other), "en"));
}

/** The total of amounts during input; an input that is not a number counts as zero. */
export const totalOf = (amounts: readonly (number | string)[]): number =>
  sumOf(amounts.map((amount) => Number(amount) || 0));
