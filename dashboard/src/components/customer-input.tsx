import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { api, got } from "../api/client.ts";
import { useList } from "../api/lists.ts";
import { useRecord } from "../api/records.ts";
import { customerName, isErased } from "../lib/customer-name.ts";

/** Chooses a customer by a part of a name, address or reference; erased customers are not offered. The value is the id. */
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
  return (
    <Select
      {...props}
      value={value || null}
      onChange={(id) => onChange?.(id ?? "")}
      searchable
      searchValue={text}
      onSearchChange={setText}
      data={known.map((customer) => ({
        value: customer.id,
        label: [customerName(customer), customer.email, !customer.active && "inactive"]
          .filter((part, at, all) => part && all.indexOf(part) === at)
          .join(", "),
      }))}
      filter={({ options }) => options}
      nothingFoundMessage={found.isPending ? "Searching …" : "No matches"}
      clearable
      clearButtonProps={{ "aria-label": "Clear the customer" }}
    />
  );
}
