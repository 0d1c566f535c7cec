import { Group } from "@mantine/core";
import { ResourceList } from "../../components/resource-list.tsx";
import { Status, Time, Words } from "../../components/values.tsx";
import { pathTo } from "../../lib/paths.ts";
import { DecideRule, saidOf } from "./rule-actions.tsx";

/** Rules that were learned from matches by hand. */
export const Page = () => (
  <ResourceList
    resource="reconciliation/rules"
    title="Matching rules"
    path="/reconciliation/rules"
    searchable={false}
    linkOf={({ itemId }) => pathTo("reconciliation/items", itemId)}
    filters={[
      { name: "status", label: "Status", options: ["proposed", "accepted", "declined"] },
      { name: "account", label: "Account" },
    ]}
    columns={[
      { name: "fragment", label: "Lines with the words", cell: ({ fragment }) => <Words of={fragment} /> },
      { name: "account", label: "Account", cell: ({ account }) => <Words of={account} /> },
      { name: "kind", label: "Are taken as", cell: (rule) => saidOf(rule) },
      { name: "status", label: "Status", cell: ({ status }) => <Status of={status} /> },
      { name: "createdAt", label: "Proposed", cell: ({ createdAt }) => <Time at={createdAt} day />, extra: true },
      {
        name: "decide",
        label: "Decide",
        cell: (rule) => (
          <Group gap="xs">
            <DecideRule rule={rule} />
          </Group>
        ),
      },
    ]}
    empty={{
      title: "No rule yet",
      text: "When you match a line with a fee of the bank, a transfer between own accounts or a payout of a gateway, a rule for lines with the same words is proposed here. It is used once somebody has accepted it.",
    }}
  />
);
