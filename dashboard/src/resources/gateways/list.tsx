import { Stack } from "@mantine/core";
import { PayoutHold } from "../../components/payout-hold.tsx";
import { ResourceList } from "../../components/resource-list.tsx";
import { Status, Time, Words } from "../../components/values.tsx";
import { words } from "../../lib/words.ts";

/** The list of gateway accounts. */
export const Page = () => (
  <Stack gap="md">
    <PayoutHold />
    <Accounts />
  </Stack>
);

const Accounts = () => (
  <ResourceList
    resource="gateways"
    title="Gateways"
    path="/gateways"
    exported="/exports/gateways.csv"
    create={{ label: "Add a gateway", permission: "gateways:write", to: "/gateways/new" }}
    columns={[
      { name: "name", label: "Name", cell: ({ name }) => <Words of={name} /> },
      { name: "type", label: "Type", cell: ({ type }) => words(type) },
      { name: "mode", label: "Mode", cell: ({ mode }) => <Status of={mode} /> },
      { name: "currencies", label: "Currencies", cell: ({ currencies }) => currencies.join(", ") },
      { name: "enabled", label: "Status", cell: ({ enabled }) => <Status of={enabled ? "enabled" : "disabled"} /> },
      { name: "updatedAt", label: "Last updated", cell: ({ updatedAt }) => <Time at={updatedAt} />, extra: true },
    ]}
    empty={{
      title: "No gateway yet",
      text: "A gateway takes your customers' money: PayFast, Paystack, Stripe, bank transfers and others. Add your account there, test it, and customers see it on the pay page.",
    }}
  />
);
