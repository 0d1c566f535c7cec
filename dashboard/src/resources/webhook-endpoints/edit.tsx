import { Switch } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { EditPage } from "../../components/edit-page.tsx";
import { pathTo } from "../../lib/paths.ts";
import { useEndpoint } from "./endpoint.ts";
import { eventsOf, fields, type Values } from "./fields.tsx";

const valuesOf = ({ url, events, enabled }: Shape<"WebhookEndpoint">): Values & { enabled: boolean } => ({
  url,
  all: events.includes("*"),
  events: events.filter((type) => type !== "*"),
  enabled,
});

/** The form of an endpoint that is changed. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  return (
    <EditPage
      title="Edit webhook endpoint"
      back={{ label: "Webhook endpoint", to: pathTo("webhook-endpoints", id) }}
      record={useEndpoint(id)}
      valuesOf={valuesOf}
      fields={(form) => (
        <>
          {fields(form as never)}
          <Switch label="Enabled" {...form.getInputProps("enabled", { type: "checkbox" })} />
        </>
      )}
      change={(values, edit) => {
        const body = { url: values.url.trim(), events: eventsOf(values), enabled: values.enabled };
        return got(api.PATCH("/webhook-endpoints/{id}", { params: { path: { id } }, body: edit(body) }));
      }}
      touches={["/webhook-endpoints", "/audit-log"]}
      said="Endpoint updated"
    />
  );
}
