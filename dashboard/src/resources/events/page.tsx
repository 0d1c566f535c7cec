import { Code, NativeSelect } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got } from "../../api/client.ts";
import { useList } from "../../api/lists.ts";
import { useRecord } from "../../api/records.ts";
import { TextLink } from "../../components/link.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Permitted } from "../../components/notice.tsx";
import { ResourcePage, Rows, Section } from "../../components/resource-page.tsx";
import { CopyId, IdLink, Status, Time } from "../../components/values.tsx";
import { pathTo } from "../../lib/paths.ts";

/** The page of an event, with its deliveries. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const event = useRecord(["/events", id], () => got(api.GET("/events/{id}", { params: { path: { id } } })));
  return (
    <ResourcePage
      resource="events"
      list="Events"
      record={event}
      show={(record) => ({
        title: record.type,
        name: record.type,
        id: record.id,
        timeline: false,
        actions: (
          <Permitted to="webhooks:read">
            <SendTo event={record.id} />
          </Permitted>
        ),
        facts: [
          ["Record", <IdLink key="about" id={record.subject} />],
          ["Record ID", <CopyId key="id" id={record.subject} />],
          ["Number", `${record.sequence} of this record`],
          ["Date", <Time key="when" at={record.created} />],
        ],
        sections: (
          <>
            <Section title="Data">
              <Code block tabIndex={0} role="region" aria-label="The event's data">
                {JSON.stringify(record.data, null, 2)}
              </Code>
            </Section>
            <Deliveries event={record.id} />
          </>
        ),
      })}
    />
  );
}

/** Sends the event to an endpoint that missed it, or again. */
function SendTo({ event }: { readonly event: string }) {
  const endpoints = (useList("/webhook-endpoints", { limit: "100" }).data?.data ?? []).filter(({ enabled }) => enabled);
  const [first] = endpoints;
  if (!first) return null;
  return (
    <MoneyAction
      label="Send to endpoint"
      title="Send event to endpoint"
      permission="events:write"
      initial={{ endpointId: first.id }}
      fields={(form) => (
        <NativeSelect
          label="Endpoint"
          data={endpoints.map(({ id, url }) => ({ value: id, label: url }))}
          {...form.getInputProps("endpointId")}
        />
      )}
      what={() => "The endpoint gets this event now, also if it has had it or does not subscribe to it."}
      send={(body) => got(api.POST("/events/{id}/send", { params: { path: { id: event } }, body }))}
      touches={["/webhook-deliveries", "/events", "/audit-log"]}
      said={() => "Event sent"}
      button={{ variant: "default" }}
    />
  );
}

function Deliveries({ event }: { readonly event: string }) {
  const list = useList("/webhook-deliveries", { eventId: event, limit: "20" });
  return (
    <Section title="Deliveries">
      <Rows
        label="Deliveries"
        items={list.data?.data ?? []}
        keyOf={({ id }) => id}
        none="No endpoint listens to this event"
        columns={[
          { label: "Endpoint", cell: ({ endpointId }) => <IdLink id={endpointId} /> },
          {
            label: "Delivery",
            cell: ({ id, status }) => (
              <TextLink to={pathTo("webhook-deliveries", id)}>
                <Status of={status} />
              </TextLink>
            ),
          },
          { label: "Last attempt", cell: ({ attempts }) => <Time at={attempts.at(-1)?.at} /> },
        ]}
      />
    </Section>
  );
}
