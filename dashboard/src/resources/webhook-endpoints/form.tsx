import { api, got } from "../../api/client.ts";
import { ShownOnce } from "../../components/shown-once.tsx";
import { EMPTY, eventsOf, fields } from "./fields.tsx";

/** The text about a signing secret. */
export const ABOUT_SECRET =
  "Your server proves with it that a webhook comes from Tefo. It is not shown again; who loses it replaces it.";

/** The form of a new endpoint; its secret is shown once. */
export const Page = () => (
  <ShownOnce
    title="New webhook endpoint"
    back={{ label: "Webhook endpoints", to: "/webhook-endpoints" }}
    initial={EMPTY}
    fields={fields}
    label="Add endpoint"
    send={(values) =>
      got(api.POST("/webhook-endpoints", { body: { url: values.url.trim(), events: eventsOf(values), enabled: true } }))
    }
    touches={["/webhook-endpoints", "/audit-log"]}
    secret={({ secret }) => ({ label: "Its secret", value: secret, about: ABOUT_SECRET })}
  />
);
