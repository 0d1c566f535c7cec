import { api, got, type Shape } from "../../api/client.ts";
import { useList } from "../../api/lists.ts";
import { useMay } from "../../api/session.ts";
import type { BulkAction } from "../../components/bulk-bar.tsx";
import { ResourceList } from "../../components/resource-list.tsx";
import { CopyId, IdLink, Status, Time, Words } from "../../components/values.tsx";
import { counted } from "../../lib/words.ts";
import { ResendAll } from "./actions.tsx";

const resend: BulkAction<Shape<"WebhookDelivery">> = {
  label: "Send again",
  permission: "events:write",
  name: ({ id, eventType }) => `${eventType}, ${id}`,
  applies: ({ status }) => status !== "pending",
  what: (chosen) => `${counted(chosen.length, "delivery is", "deliveries are")} sent again, now, each as it was then.`,
  run: ({ id }) => got(api.POST("/webhook-deliveries/{id}/resend", { params: { path: { id } } })),
  touches: ["/webhook-deliveries", "/events", "/audit-log"],
};

/** The list of deliveries. */
export function Page() {
  const may = useMay();
  const endpoints = useList("/webhook-endpoints", { limit: "100" }, may("webhooks:read"));
  return (
    <ResourceList
      resource="webhook-deliveries"
      title="Deliveries"
      path="/webhook-deliveries"
      exported="/exports/webhook-deliveries.csv"
      actions={<ResendAll />}
      filters={[
        {
          name: "status",
          label: "Status",
          options: [
            { value: "failed,parked", label: "Failed" },
            { value: "pending", label: "Pending" },
            { value: "delivered", label: "Delivered" },
          ],
        },
        { name: "eventType", label: "Event type" },
        {
          name: "endpointId",
          label: "Endpoint",
          options: (endpoints.data?.data ?? []).map(({ id, url }) => ({ value: id, label: url })),
        },
      ]}
      columns={[
        { name: "eventType", label: "Event", cell: ({ eventType }) => eventType },
        { name: "status", label: "Status", cell: ({ status }) => <Status of={status} /> },
        { name: "endpoint", label: "Endpoint", cell: ({ endpointId }) => <IdLink id={endpointId} /> },
        { name: "attempts", label: "Attempts", cell: ({ attempts }) => attempts.length, figures: true },
        { name: "last", label: "Last attempt", cell: ({ attempts }) => <Time at={attempts.at(-1)?.at} /> },
        {
          name: "answer",
          label: "Response",
          cell: ({ attempts }) => <Words of={attempts.at(-1)?.error ?? attempts.at(-1)?.statusCode?.toString()} />,
        },
        { name: "next", label: "Next attempt", cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} />, extra: true },
        { name: "event", label: "Event id", cell: ({ eventId }) => <CopyId id={eventId} />, extra: true },
      ]}
      bulk={[resend]}
      empty={{
        title: "Nothing was sent yet",
        text: "Each event is sent to every webhook endpoint that wants it, and tried again for two days when it fails. What happened to each appears here.",
        first: { label: "New endpoint", permission: "webhooks:write", to: "/webhook-endpoints/new" },
      }}
    />
  );
}
