import { useParams } from "@tanstack/react-router";
import type { Shape } from "../../api/client.ts";
import { useList } from "../../api/lists.ts";
import { TextLink } from "../../components/link.tsx";
import { Permitted } from "../../components/notice.tsx";
import { ResourcePage, Rows, Section } from "../../components/resource-page.tsx";
import { Status, Time, Words } from "../../components/values.tsx";
import { pathTo } from "../../lib/paths.ts";
import { Actions } from "./actions.tsx";
import { useEndpoint } from "./endpoint.ts";

const WHY_OFF = {
  gone: "Tefo switched it off: it answered 410, which says that it is gone.",
  failing: "Tefo switched it off: everything sent to it failed for more than five days.",
} as const;

/** The page of a webhook endpoint. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const endpoint = useEndpoint(id);
  return (
    <ResourcePage
      resource="webhook-endpoints"
      list="Webhook endpoints"
      record={endpoint}
      show={(record) => ({
        title: record.url,
        name: record.url,
        id: record.id,
        status: record.enabled ? (record.failingSince ? "failing" : "active") : "disabled",
        facts: facts(record),
        actions: <Actions endpoint={record} />,
        sections: (
          <Permitted to="events:read">
            <Deliveries endpoint={record.id} />
          </Permitted>
        ),
      })}
    />
  );
}

const facts = ({ events, disabledReason, failingSince, createdAt, updatedAt }: Shape<"WebhookEndpoint">) =>
  [
    ["Events", events.includes("*") ? "All" : events.join(", ")],
    ...(disabledReason ? ([["Disabled because", WHY_OFF[disabledReason]]] as const) : []),
    ["Failing since", <Time key="failing" at={failingSince} />],
    ["Created", <Time key="made" at={createdAt} />],
    ["Last updated", <Time key="changed" at={updatedAt} />],
  ] as const;

function Deliveries({ endpoint }: { readonly endpoint: string }) {
  const list = useList("/webhook-deliveries", { endpointId: endpoint, limit: "10" });
  return (
    <Section
      title="Deliveries"
      actions={
        <TextLink to="/webhook-deliveries" search={{ endpointId: endpoint }} size="sm">
          All of this endpoint
        </TextLink>
      }
    >
      <Rows
        label="Deliveries"
        items={list.data?.data ?? []}
        keyOf={({ id }) => id}
        none="Nothing was sent to it yet."
        columns={[
          {
            label: "Event",
            cell: ({ id, eventType }) => <TextLink to={pathTo("webhook-deliveries", id)}>{eventType}</TextLink>,
          },
          { label: "Status", cell: ({ status }) => <Status of={status} /> },
          { label: "Last attempt", cell: ({ attempts }) => <Time at={attempts.at(-1)?.at} /> },
          {
            label: "Response",
            cell: ({ attempts }) => <Words of={attempts.at(-1)?.error ?? attempts.at(-1)?.statusCode?.toString()} />,
          },
        ]}
      />
    </Section>
  );
}
