import { NativeSelect, Text } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { MoneyAction } from "../../components/money-action.tsx";
import { counted } from "../../lib/words.ts";

const TOUCHES = ["/webhook-deliveries", "/events", "/audit-log"];

/** Sends a delivery again. */
export const Resend = ({
  delivery,
  small = false,
}: {
  readonly delivery: Shape<"WebhookDelivery">;
  readonly small?: boolean;
}) => (
  <MoneyAction
    label="Send again"
    title="Send again"
    permission="events:write"
    initial={{}}
    what={() => `The endpoint gets the event ${delivery.eventType} again, now, as it was then.`}
    send={() => got(api.POST("/webhook-deliveries/{id}/resend", { params: { path: { id: delivery.id } } }))}
    touches={TOUCHES}
    said={() => "Delivery sent"}
    button={small ? { size: "xs", variant: "default" } : {}}
  />
);

const SPANS = {
  "1": "In the last hour",
  "24": "In the last day",
  "168": "In the last week",
  "720": "In the last 30 days",
};

const since = (hours: string) =>
  new Date(Math.floor(Date.now() / 60_000) * 60_000 - Number(hours) * 3_600_000).toISOString();

/** Sends again all deliveries that were given up since a time. */
export const ResendAll = () => (
  <MoneyAction
    label="Send all failed again"
    title="Send all failed again"
    permission="events:write"
    initial={{ hours: "24" }}
    fields={(form) => (
      <NativeSelect
        label="What was made"
        data={Object.entries(SPANS).map(([value, label]) => ({ value, label }))}
        {...form.getInputProps("hours")}
      />
    )}
    what={({ hours }) => <Preview hours={hours} />}
    send={({ hours }) =>
      got(api.POST("/webhook-deliveries/resend-failed", { body: { since: since(hours), endpointId: null } }))
    }
    touches={TOUCHES}
    said={({ deliveries: count, hasMore }) =>
      `${counted(count, "delivery is", "deliveries are")} on the way.${hasMore ? " There are more: send again for the rest." : ""}`
    }
    button={{ variant: "default" }}
  />
);

function Preview({ hours }: { readonly hours: string }) {
  const from = since(hours);
  const counting = useRecord(["/webhook-deliveries", "failed", from], () =>
    got(api.POST("/webhook-deliveries/resend-failed", { body: { since: from, endpointId: null, dryRun: true } })),
  );
  if (!counting.data) return <Text size="sm">Counting …</Text>;
  const { deliveries: count, hasMore } = counting.data;
  return (
    <Text size="sm">
      {count === 0
        ? "Nothing was given up in this time, to an endpoint that is switched on."
        : `${counted(count, "delivery is", "deliveries are")} sent again, now, the oldest first.${hasMore ? " There are more; do it again for the rest." : ""}`}
    </Text>
  );
}
