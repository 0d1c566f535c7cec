import { ResourceList } from "../../components/resource-list.tsx";
import { Money, RecordName, Time, Words } from "../../components/values.tsx";
import { pathTo } from "../../lib/paths.ts";
import { ImportButton } from "./import-button.tsx";

/** The list of payouts: lines of bank statements that are money of a gateway. */
export const Page = () => (
  <ResourceList
    resource="payouts"
    title="Payouts"
    path="/reconciliation/items"
    fixed={{ payout: "true" }}
    linkOf={({ id }) => pathTo("reconciliation/items", id)}
    filters={[{ name: "account", label: "Bank account" }]}
    columns={[
      { name: "description", label: "Description", cell: ({ description }) => <Words of={description || "(empty)"} /> },
      {
        name: "gateway",
        label: "Gateway",
        cell: ({ allocations }) => <RecordName id={allocations.find(({ kind }) => kind === "payout")?.id ?? ""} />,
      },
      { name: "date", label: "Received on", cell: ({ date }) => <Time at={date} /> },
      { name: "account", label: "Bank account", cell: ({ account }) => <Words of={account} /> },
      { name: "reference", label: "Reference", cell: ({ reference }) => <Words of={reference} />, extra: true },
      {
        name: "amount",
        label: "Amount",
        figures: true,
        cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
      },
    ]}
    empty={{
      title: "No payouts yet",
      text: "A payout is what a gateway pays into your bank account: your customers' payments, less its fees. Import a bank statement and match its lines; those of a gateway show here.",
      action: <ImportButton />,
    }}
  />
);
