import type { Gateway } from "../../flows/gateways/accounts.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { email } from "../../platform/schema.ts";
import type { PayerField } from "../../templates/pages/fields.ts";
import type { Sent } from "./form-page.ts";

type Known = Pick<Customer, "email"> | null;

const needsEmail = ({ adapter }: Gateway): boolean => adapter.checkout?.needsPayerEmail ?? false;

/** The field for the payer's email address; none when the address is known (interface 15.3). */
export function emailField(customer: Known, gateways: readonly Gateway[], sent: Sent | null): PayerField[] {
  if (customer?.email) return [];
  const chosen = gateways.find(({ account }) => account.id === sent?.form?.field("gateway"));
  const required = chosen ? needsEmail(chosen) : gateways.every(needsEmail);
  return [{ name: "email", value: sent?.form?.field("email") ?? "", required, error: sent?.errors?.["email"] ?? null }];
}

/** The problem with the entered address, as a sentence; null when it is usable or not needed. */
export function emailFault(customer: Known, gateway: Gateway, entered: string): string | null {
  if (customer?.email) return null;
  if (entered === "") return needsEmail(gateway) ? `${gateway.account.name} needs your email address.` : null;
  return email().safeParse(entered).success ? null : "Write an email address such as thandi@example.co.za.";
}
