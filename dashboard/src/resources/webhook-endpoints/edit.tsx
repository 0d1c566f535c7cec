import { Skeleton, Stack, Switch, Title } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { editing, ResourceForm } from "../../components/form.tsx";
import { Failure } from "../../components/notice.tsx";
import { useTitle } from "../../components/title.ts";
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
  useTitle("Change a webhook endpoint");
  const endpoint = useEndpoint(id);
  return (
    <Stack gap="md">
      <Title order={1} size="h2">
        Change a webhook endpoint
      </Title>
      {endpoint.isPending && <Skeleton height={200} aria-busy="true" aria-label="Loading" />}
      {endpoint.isError && <Failure error={endpoint.error} />}
      {endpoint.data && (
        <ResourceForm
          initial={valuesOf(endpoint.data)}
          edits={editing(endpoint.data, valuesOf)}
          fields={(form) => (
            <>
              {fields(form as never)}
              <Switch label="Switched on" {...form.getInputProps("enabled", { type: "checkbox" })} />
            </>
          )}
          label="Save"
          send={(values, _keyFor, edit) => {
            const body = { url: values.url.trim(), events: eventsOf(values), enabled: values.enabled };
            return got(api.PATCH("/webhook-endpoints/{id}", { params: { path: { id } }, body: edit(body) }));
          }}
          touches={["/webhook-endpoints", "/audit-log"]}
          said="The endpoint is changed."
          to={() => pathTo("webhook-endpoints", id)}
          back={pathTo("webhook-endpoints", id)}
        />
      )}
    </Stack>
  );
}
