import { ResourceList } from "../../components/resource-list.tsx";
import { Status, Time, Words } from "../../components/values.tsx";
import { formatMonth } from "../../lib/months.ts";

/** The months of the books, newest first. */
export const Page = () => (
  <ResourceList
    resource="accounting/months"
    title="Month end"
    path="/accounting/months"
    searchable={false}
    idOf={({ month }) => month}
    columns={[
      { name: "month", label: "Month", cell: ({ month }) => formatMonth(month) },
      { name: "status", label: "Status", cell: ({ status }) => <Status of={status} /> },
      { name: "closedAt", label: "Closed", cell: ({ closedAt }) => <Time at={closedAt} /> },
      { name: "closedBy", label: "By", cell: ({ closedBy }) => <Words of={closedBy} /> },
    ]}
    empty={{
      title: "No month yet",
      text: "A month appears here as soon as something is posted to the books. When it is over and agreed on, close it: nothing is posted into it any more.",
    }}
  />
);
