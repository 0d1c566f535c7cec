import type { CustomerBalance } from "../../kernel/customer-balance.ts";
import type { Customer, Standing } from "./types.ts";

/** Interface 2.14: one word for how a customer stands; an inactive customer is suspended whatever is owed. */
export function standingOf(
  customer: { active: boolean },
  owed: Pick<CustomerBalance, "balance" | "overdue">,
): Standing {
  if (!customer.active) return "suspended";
  if (owed.overdue > 0) return "overdue";
  return owed.balance > 0 ? "owing" : "good";
}

/** A code for people and statements: `C-` and the last eight characters of the id. */
export const accountCodeFor = (id: string): string => `C-${id.slice(-8).toUpperCase()}`;

/** Interface 4.2: the first name of a new customer defaults to the part of the email before the at-sign. */
export const firstNameFromEmail = (email: string): string =>
  Array.from(email.split("@")[0] ?? email)
    .slice(0, 100)
    .join("");

type Named = Pick<Customer, "firstName" | "lastName">;

/** First and last name, as far as they are known; null when neither is. */
export const personName = ({ firstName, lastName }: Named): string | null =>
  [firstName, lastName].filter(Boolean).join(" ") || null;

/** What documents and forms call the customer: the company before the person before the address; null when none is known. */
export const customerName = (customer: Named & Pick<Customer, "company" | "email">): string | null =>
  customer.company || personName(customer) || customer.email;

/** How pages and mails greet the customer: by first name, or company; null when neither is known. */
export const greetingName = ({ firstName, company }: Pick<Customer, "firstName" | "company">): string | null =>
  firstName ?? company;
