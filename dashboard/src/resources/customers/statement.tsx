import { Group } from "@mantine/core";
import { useState } from "react";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { CurrencyPicker } from "../../components/currency-picker.tsx";
import { DayFilter } from "../../components/date-input.tsx";
import { FileButton } from "../../components/file.tsx";
import { Loaded } from "../../components/frame.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { Money, Time, Words } from "../../components/values.tsx";

/** A customer's statement by days, the same as the customer's; the last month and this one until other days are chosen. */
export function Statement({ customer, currency: usual }: { readonly customer: string; readonly currency: string }) {
  const [chosen, setChosen] = useState<string | null>(null);
  const currency = chosen ?? usual;
  const [days, setDays] = useState<{ readonly from?: string; readonly to?: string }>({});
  const query = { currency, ...(days.from ? { from: days.from } : {}), ...(days.to ? { to: days.to } : {}) };
  const read = useRecord(["/customers", customer, "statement", query], () =>
    got(api.GET("/customers/{id}/statement", { params: { path: { id: customer }, query } })),
  );
  const dayField = (name: "from" | "to", label: string) => (
    <DayFilter
      size="xs"
      label={label}
      value={days[name] ?? read.data?.[name] ?? ""}
      onChange={(day) => setDays({ ...days, [name]: day })}
    />
  );
  return (
    <Section
      title="Statement"
      actions={
        <Group gap="xs" align="flex-end">
          <CurrencyPicker
            label="Currency of the statement"
            currencies={read.data?.currencies ?? []}
            value={currency}
            choose={setChosen}
          />
          {dayField("from", "From")}
          {dayField("to", "Until")}
          {(["pdf", "csv"] as const).map((kind) => (
            <FileButton
              key={kind}
              size="xs"
              path={`/customers/${customer}/statement/${kind}?${new URLSearchParams(query)}`}
            >
              {kind.toUpperCase()}
            </FileButton>
          ))}
        </Group>
      }
    >
      <Loaded of={read}>{(statement) => <Movements of={statement} />}</Loaded>
    </Section>
  );
}

const Movements = ({
  of: { from, to, currency, opening, closing, movements },
}: {
  readonly of: Shape<"Statement">;
}) => (
  <Rows
    label="Statement"
    items={[
      { date: from, description: "Opening balance", amount: null, balance: opening },
      ...movements,
      { date: to, description: "Closing balance", amount: null, balance: closing },
    ].map((row, at) => ({ ...row, at }))}
    keyOf={({ at }) => String(at)}
    none="No transactions in this period"
    columns={[
      { label: "Date", cell: ({ date }) => <Time at={date} day /> },
      { label: "Description", cell: ({ description }) => <Words of={description} /> },
      {
        label: "Amount",
        figures: true,
        cell: ({ amount }) => <Money amount={amount} currency={currency} />,
      },
      { label: "Balance", figures: true, cell: ({ balance }) => <Money amount={balance} currency={currency} /> },
    ]}
  />
);
