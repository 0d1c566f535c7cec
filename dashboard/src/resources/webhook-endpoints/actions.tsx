import { Modal } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, got, type Shape } from "../../api/client.ts";
import { DateInput } from "../../components/date-input.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Permitted } from "../../components/notice.tsx";
import { Secret } from "../../components/shown-once.tsx";
import { pathTo } from "../../lib/paths.ts";
import { counted } from "../../lib/words.ts";
import { ABOUT_SECRET } from "./form.tsx";

const TOUCHES = ["/webhook-endpoints", "/webhook-deliveries", "/events", "/audit-log"];

/** The first instant after a South African day. */
const startOfNextDay = (day: string): string =>
  new Date(Date.parse(`${day}T00:00:00+02:00`) + 86_400_000).toISOString();

/** The actions on an endpoint. */
export function Actions({ endpoint }: { readonly endpoint: Shape<"WebhookEndpoint"> }) {
  const { id, url, enabled } = endpoint;
  const params = { path: { id } };
  const navigate = useNavigate();
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <MoneyAction
        label="Send a test"
        title="Send a test"
        permission="webhooks:write"
        initial={{}}
        what={() => `${url} gets the event endpoint.test, now. Nothing else happens.`}
        send={() => got(api.POST("/webhook-endpoints/{id}/test", { params }))}
        touches={TOUCHES}
        said={() => "Test sent"}
        button={{ variant: "default", disabled: !enabled }}
      />
      <Replay endpoint={endpoint} />
      <MoneyAction
        label="Replace secret"
        title="Replace secret"
        permission="webhooks:write"
        initial={{}}
        what={() => "A new secret signs from now on, and is shown once. For 24 hours the one before it signs too."}
        send={() => got(api.POST("/webhook-endpoints/{id}/rotate-secret", { params }))}
        touches={TOUCHES}
        said={(made) => {
          setSecret(made.secret);
          return "Secret replaced";
        }}
        button={{ variant: "default" }}
      />
      <Permitted to="webhooks:write">
        <ButtonLink to={`${pathTo("webhook-endpoints", id)}/edit`} variant="default">
          Edit
        </ButtonLink>
      </Permitted>
      <MoneyAction
        label="Delete"
        title="Delete endpoint"
        permission="webhooks:write"
        danger
        initial={{}}
        what={() => `Nothing is sent to ${url} any more. What was sent stays listed.`}
        send={() => got(api.DELETE("/webhook-endpoints/{id}", { params }))}
        touches={TOUCHES}
        said={() => {
          void navigate({ to: "/webhook-endpoints" });
          return "Endpoint deleted";
        }}
      />
      <Modal
        opened={secret !== null}
        onClose={() => setSecret(null)}
        title="The new secret"
        centered
        closeButtonProps={{ "aria-label": "Close" }}
      >
        {secret && <Secret label="Its secret" value={secret} about={ABOUT_SECRET} leave={() => setSecret(null)} />}
      </Modal>
    </>
  );
}

/** Sends the events of some days to the endpoint, each once. */
const Replay = ({ endpoint: { id, url, enabled } }: { readonly endpoint: Shape<"WebhookEndpoint"> }) => (
  <MoneyAction
    label="Replay"
    title="Replay events"
    permission="webhooks:write"
    initial={{ from: "", to: "" }}
    check={{ from: (day: string) => (day === "" ? "Choose the first day" : null) }}
    fields={(form) => (
      <>
        <DateInput label="From" {...form.getInputProps("from")} />
        <DateInput label="To" description="Default: today" {...form.getInputProps("to")} />
      </>
    )}
    what={() =>
      `${url} gets all events of these days to which it subscribes, each once, also those that it has had or has missed.`
    }
    send={({ from, to }) => {
      const until = to === "" ? {} : { to: startOfNextDay(to) };
      const body = { from: `${from}T00:00:00+02:00`, ...until };
      return got(api.POST("/webhook-endpoints/{id}/replay", { params: { path: { id } }, body }));
    }}
    touches={TOUCHES}
    said={({ events }) => `${counted(events, "event is", "events are")} being sent`}
    button={{ variant: "default", disabled: !enabled }}
  />
);
