import type { CustomerBalance } from "../../domain/customer-balance.ts";
import { personName } from "../../kernel/person-name.ts";
import type { Customer, Standing } from "./types.ts";

/** A customer's standing (interface 2.14). An inactive customer is suspended, whatever is owed. */
export function standingOf(
  customer: { active: boolean },
  owed: Pick<CustomerBalance, "balance" | "overdue">,
): Standing {
  if (!customer.active) return "suspended";
  if (owed.overdue > 0) return "overdue";
  return owed.balance > 0 ? "owing" : "good";
}

/** A code that people can read, for statements: `C-` and the last eight characters of the id. */
export const accountCodeFor = (id: string): string => `C-${id.slice(-8).toUpperCase()}`;

/** The first name of a customer who is created by email: the part before the at-sign (interface 4.2). */
export const firstNameFromEmail = (email: string): string =>
  Array.from(email.split("@")[0] ?? email)
    .slice(0, 100)
    .join("");

/** The customer's name on documents and forms: the company, else the person, else the address; null when none is known. */
export const customerName = (customer: Pick<Customer, "firstName" | "lastName" | "company" | "email">): string | null =>
  customer.company || personName(customer) || customer.email;

/** The name in greetings: the first name, else the company; null when neither is known. */
export const greetingName = ({ firstName, company }: Pick<Customer, "firstName" | "company">): string | null =>
  firstName ?? company;
