import { Group } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import type { BulkAction } from "../../components/bulk-bar.tsx";
import { ResourceList } from "../../components/resource-list.tsx";
import { Status, Time, Words } from "../../components/values.tsx";
import { pathTo } from "../../lib/paths.ts";
import { counted } from "../../lib/words.ts";
import { DecideRule, saidOf } from "./rule-actions.tsx";

type Rule = Shape<"ReconciliationRule">;

const common = {
  permission: "reconciliation:write",
  name: ({ fragment }: Rule) => fragment,
  touches: ["/reconciliation"],
} as const;

const accept: BulkAction<Rule> = {
  ...common,
  label: "Accept",
  applies: ({ status }) => status !== "accepted",
  what: (chosen) =>
    `Lines of later statements are matched by ${counted(chosen.length, "rule")}, without a person. Lines that are imported already stay as they are.`,
  run: ({ id }) => got(api.POST("/reconciliation/rules/{id}/accept", { params: { path: { id } } })),
};

const decline: BulkAction<Rule> = {
  ...common,
  label: "Decline",
  applies: ({ status }) => status !== "declined",
  what: (chosen) =>
    `Lines with the words of ${counted(chosen.length, "rule")} are left to a person. What was matched stays matched.`,
  run: ({ id }) => got(api.POST("/reconciliation/rules/{id}/decline", { params: { path: { id } } })),
};

/** Rules from matches by hand. */
export const Page = () => (
  <ResourceList
    resource="reconciliation/rules"
    title="Matching rules"
    path="/reconciliation/rules"
    exported="/exports/reconciliation-rules.csv"
    linkOf={({ itemId }) => pathTo("reconciliation/items", itemId)}
    filters={[
      { name: "status", label: "Status", options: ["proposed", "accepted", "declined"] },
      { name: "account", label: "Account" },
    ]}
    columns={[
      { name: "fragment", label: "If the description contains", cell: ({ fragment }) => <Words of={fragment} /> },
      { name: "account", label: "Account", cell: ({ account }) => <Words of={account} /> },
      { name: "kind", label: "Match as", cell: (rule) => saidOf(rule) },
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
    bulk={[accept, decline]}
    empty={{
      title: "No rule yet",
      text: "When you match a line with a fee of the bank, a transfer between own accounts or a payout of a gateway, a rule for lines with the same words is proposed here. It is used once somebody has accepted it.",
    }}
  />
);
