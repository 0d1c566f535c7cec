import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { ResourcePage, Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Time, Words } from "../../components/values.tsx";
import { Resend } from "./actions.tsx";

/** The page of a delivery. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const delivery = useRecord(["/webhook-deliveries", id], () =>
    got(api.GET("/webhook-deliveries/{id}", { params: { path: { id } } })),
  );
  return (
    <ResourcePage
      resource="webhook-deliveries"
      list="Deliveries"
      record={delivery}
      show={(record) => ({
        title: record.eventType,
        name: record.eventType,
        id: record.id,
        status: record.status,
        timeline: false,
        facts: [
          ["Event", <IdLink key="event" id={record.eventId} />],
          ["Endpoint", <IdLink key="endpoint" id={record.endpointId} />],
          ["Next attempt", <Time key="next" at={record.nextAttemptAt} />],
        ],
        actions: <Resend delivery={record} />,
        sections: <Attempts of={record.attempts} />,
      })}
    />
  );
}

const Attempts = ({ of: attempts }: { readonly of: Shape<"WebhookDelivery">["attempts"] }) => (
  <Section title="Attempts">
    <Rows
      label="Attempts"
      items={attempts.toReversed()}
      keyOf={({ at }, index) => `${at}-${index}`}
      none="It was not tried yet."
      columns={[
        { label: "Date", cell: ({ at }) => <Time at={at} /> },
        { label: "Status", cell: ({ statusCode }) => statusCode ?? "–" },
        { label: "Duration", cell: ({ durationMs }) => `${durationMs} ms`, figures: true },
        { label: "Response", cell: ({ error, responseExcerpt }) => <Words of={error ?? responseExcerpt} /> },
      ]}
    />
  </Section>
);
