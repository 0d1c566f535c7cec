import { areasOf } from "../../components/areas.ts";
import { ResourceList } from "../../components/resource-list.tsx";
import { Time, Words } from "../../components/values.tsx";

/** The list of roles: the built-in ones, then those of the organisation. */
export const Page = () => (
  <ResourceList
    resource="roles"
    title="Roles"
    path="/roles"
    searchable={false}
    create={{ label: "New role", permission: "members:write", to: "/roles/new" }}
    columns={[
      { name: "name", label: "Role", cell: ({ name }) => <Words of={name} /> },
      { name: "builtIn", label: "Made by", cell: ({ builtIn }) => (builtIn ? "Built in" : "You") },
      {
        name: "change",
        label: "Areas to change",
        figures: true,
        cell: (role) => areasOf(role.permissions).change.length,
      },
      { name: "see", label: "Areas to see only", figures: true, cell: (role) => areasOf(role.permissions).see.length },
      { name: "holders", label: "People", figures: true, cell: ({ holders }) => holders },
      { name: "updatedAt", label: "Last updated", cell: ({ updatedAt }) => <Time at={updatedAt} />, extra: true },
    ]}
    empty={{ title: "No role yet", text: "A role says what members see and what they may change." }}
  />
);
