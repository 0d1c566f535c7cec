import { api, got, type Shape } from "../../api/client.ts";
import { ResourceList } from "../../components/resource-list.tsx";
import { switching } from "../../components/switching.ts";
import { Status, Time, Words } from "../../components/values.tsx";

const BULK = switching<Shape<"Package">>({
  kind: "package",
  permission: "packages:write",
  name: ({ name }) => name,
  disabled: "Nobody can subscribe to them; those who have them keep them.",
  enabled: "Customers can subscribe to them again.",
  set: (id, enabled) => got(api.PATCH("/packages/{id}", { params: { path: { id } }, body: { enabled } })),
  touches: ["/packages", "/audit-log"],
});

/** The list of packages. */
export const Page = () => (
  <ResourceList
    resource="packages"
    title="Packages"
    path="/packages"
    exported="/exports/packages.csv"
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
    bulk={BULK}
    empty={{
      title: "No package yet",
      text: "A package is what customers subscribe to, such as a gym's membership; its plans are the ways to pay for it, such as monthly and yearly. Create the first one, then its plans.",
    }}
  />
);
