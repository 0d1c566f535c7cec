import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { api, got } from "../api/client.ts";
import { messageOf } from "../api/failure.ts";
import { useList } from "../api/lists.ts";
import { useChange, useRecord } from "../api/records.ts";
import { useMay } from "../api/session.ts";
import { customerName, isErased } from "../lib/customer-name.ts";

/** The value of the option that creates a customer. */
const NEW = "new";

/**
 * Chooses a customer by a part of a name, address or reference, or creates one of the typed name or email address; erased customers are not
 * offered. The value is the id.
 */
export function CustomerInput({
  value,
  onChange,
  ...props
}: {
  readonly label: string;
  readonly value?: string;
  onChange?(id: string): void;
  readonly error?: React.ReactNode;
  readonly withAsterisk?: boolean;
}) {
  const [text, setText] = useState("");
  const [q] = useDebouncedValue(text.trim(), 250);
  const found = useList("/customers", { q, limit: "10" });
  const chosen = useRecord(
    ["/customers", value],
    () => got(api.GET("/customers/{id}", { params: { path: { id: value ?? "" } } })),
    Boolean(value),
  );
  const others = (found.data?.data ?? []).filter((one) => one.id !== value && !isErased(one));
  const known = chosen.data && value ? [chosen.data, ...others] : others;
  const creation = useChange(
    (name: string, keyFor) => {
      const body = name.includes("@") ? { email: name } : { company: name };
      return got(api.POST("/customers", { body, params: { header: { "Idempotency-Key": keyFor(body) } } }));
    },
    ["/customers"],
    (made) => onChange?.(made.id),
  );
  const name = text.trim();
  const isNew = useMay()("customers:write") && name !== "" && !found.isPending && known.length === 0;
  return (
    <Select
      {...props}
      error={creation.error ? messageOf(creation.error) : props.error}
      value={value || null}
      onChange={(id) => {
        creation.reset();
        if (id === NEW) creation.mutate(name);
        else onChange?.(id ?? "");
      }}
      searchable
      searchValue={text}
      onSearchChange={setText}
      data={[
        ...known.map((customer) => ({
          value: customer.id,
          label: [customerName(customer), customer.email, !customer.active && "inactive"]
            .filter((part, at, all) => part && all.indexOf(part) === at)
            .join(", "),
        })),
        ...(isNew ? [{ value: NEW, label: `Create customer “${name}”` }] : []),
      ]}
      filter={({ options }) => options}
      nothingFoundMessage={found.isPending ? "Searching …" : "No matches"}
      clearable
      clearButtonProps={{ "aria-label": "Clear the customer" }}
    />
  );
}
