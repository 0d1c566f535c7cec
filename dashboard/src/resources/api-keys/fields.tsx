import { Checkbox, MultiSelect, Textarea, TextInput } from "@mantine/core";
import type { Shape } from "../../api/client.ts";
import { DateInput } from "../../components/date-input.tsx";
import type { FormOf } from "../../components/form.tsx";
import { toDateInput } from "../../lib/time.ts";
import { words } from "../../lib/words.ts";

type Key = Shape<"ApiKey">;
type Scope = NonNullable<Key["scopes"]>[number];

/** What scopes are about. */
const SUBJECTS = [
  "customers",
  "payment_links",
  "transactions",
  "refunds",
  "invoices",
  "credit_notes",
  "quotes",
  "eft_orders",
  "mandates",
  "debit_batches",
  "cards",
  "subscriptions",
  "gateway_subscriptions",
  "usage",
  "catalogue",
  "checkout",
  "reconciliation",
  "accounting",
  "webhooks",
  "events",
  "request_log",
  "test_clock",
  "settings",
] as const;

const SCOPES = SUBJECTS.flatMap((subject): { value: Scope; label: string }[] => [
  { value: `${subject}:read`, label: `${words(subject)}: read` },
  { value: `${subject}:write`, label: `${words(subject)}: read and change` },
]);

/** A scope as people read it. */
export const scopeWords = (scope: Scope): string => SCOPES.find(({ value }) => value === scope)?.label ?? scope;

/** The values of a key's form. */
export interface Values {
  name: string;
  charges: boolean;
  scopes: Scope[];
  /** The last day, or empty. */
  expiresOn: string;
  /** One on each line. */
  addresses: string;
  strict: boolean;
}

/** The body for the API. */
export const bodyOf = ({ name, charges, scopes, expiresOn, addresses, strict }: Values) => ({
  name: name.trim(),
  permissions: charges ? ["charge_saved_cards"] : [],
  scopes: scopes.length > 0 ? scopes : null,
  expiresAt: expiresOn === "" ? null : `${expiresOn}T23:59:59+02:00`,
  allowedAddresses: addresses.split(/\s+/).filter(Boolean),
  strict,
});

/** The form's values of an existing key. */
export const valuesOf = ({ name, permissions, scopes, expiresAt, allowedAddresses, strict }: Key): Values => ({
  name,
  charges: permissions.includes("charge_saved_cards"),
  scopes: scopes ?? [],
  expiresOn: expiresAt === null ? "" : toDateInput(expiresAt),
  addresses: allowedAddresses.join("\n"),
  strict,
});

/** The name of the key, and what it may do, until when and from where. */
export const fields = (form: FormOf<Values>) => (
  <>
    <TextInput
      label="Name"
      withAsterisk
      description="What uses it, such as the shop's server."
      autoComplete="off"
      dir="auto"
      {...form.getInputProps("name")}
    />
    <MultiSelect
      label="Scopes"
      description="What it may do. Without any it may do all that keys can."
      placeholder={form.values.scopes.length === 0 ? "Everything" : ""}
      data={SCOPES}
      searchable
      clearable
      hidePickedOptions
      {...form.getInputProps("scopes")}
    />
    <Checkbox
      label="May charge saved cards"
      description="Without the customer being there. Give it to the one key that needs it."
      {...form.getInputProps("charges", { type: "checkbox" })}
    />
    <DateInput
      label="Last day"
      description="Left empty, the key does not expire."
      {...form.getInputProps("expiresOn")}
    />
    <Textarea
      label="Allowed addresses"
      description="One on each line, such as 203.0.113.7 or 203.0.113.0/24. Left empty, it may be used from anywhere."
      autosize
      minRows={1}
      {...form.getInputProps("addresses")}
    />
    <Checkbox
      label="Refuse unknown fields"
      description="A misspelt field is an error then, not a warning in a header."
      {...form.getInputProps("strict", { type: "checkbox" })}
    />
  </>
);
