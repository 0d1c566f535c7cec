import { ResourceList } from "../../components/resource-list.tsx";
import { Status, Time, Words } from "../../components/values.tsx";
import { counted } from "../../lib/words.ts";

/** How many kinds of events an endpoint gets, in words. */
export const subscribed = (events: readonly string[]): string =>
  events.includes("*") ? "All" : counted(events.length, "kind", "kinds");

/** The list of webhook endpoints. */
export const Page = () => (
  <ResourceList
    resource="webhook-endpoints"
    title="Webhook endpoints"
    path="/webhook-endpoints"
    exported="/exports/webhook-endpoints.csv"
    create={{ label: "New endpoint", permission: "webhooks:write", to: "/webhook-endpoints/new" }}
    columns={[
      { name: "url", label: "Address", cell: ({ url }) => <Words of={url} /> },
      { name: "events", label: "Events", cell: ({ events }) => subscribed(events) },
      {
        name: "status",
        label: "Status",
        cell: ({ enabled, failingSince }) => (
          <Status of={enabled ? (failingSince ? "failing" : "active") : "disabled"} />
        ),
      },
      { name: "createdAt", label: "Since", cell: ({ createdAt }) => <Time at={createdAt} day /> },
    ]}
    empty={{
      title: "No webhook endpoints yet",
      text: "A webhook endpoint is an address of yours to which Tefo sends each event, such as a payment that is complete, signed with a secret.",
    }}
  />
);
