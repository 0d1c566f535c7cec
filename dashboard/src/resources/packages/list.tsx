import { ResourceList } from "../../components/resource-list.tsx";
import { Status, Time, Words } from "../../components/values.tsx";

/** The list of packages. */
export const Page = () => (
  <ResourceList
    resource="packages"
    title="Packages"
    path="/packages"
    create={{ label: "New package", permission: "packages:write", to: "/packages/new" }}
    columns={[
      { name: "name", label: "Name", cell: ({ name }) => <Words of={name} /> },
      { name: "description", label: "Description", cell: ({ description }) => <Words of={description} />, extra: true },
      { name: "enabled", label: "Status", cell: ({ enabled }) => <Status of={enabled ? "enabled" : "disabled"} /> },
      {
        name: "plans",
        label: "Plans",
        cell: ({ plans }) => <Words of={plans.map(({ name }) => name).join(", ")} />,
      },
      { name: "createdAt", label: "Since", cell: ({ createdAt }) => <Time at={createdAt} day /> },
    ]}
    empty={{
      title: "No package yet",
      text: "A package is what customers subscribe to, such as a gym's membership; its plans are the ways to pay for it, such as monthly and yearly. Make the first one, then its plans.",
    }}
  />
);
