import { ResourceList } from "../../components/resource-list.tsx";
import { IdLink, Status, statusWords, Time, Words } from "../../components/values.tsx";
import { CHANNEL_NAMES } from "../../lib/channels.ts";
import { words } from "../../lib/words.ts";

const STATUSES = ["queued", "sending", "sent", "delivered", "failed", "unknown", "not_sent"] as const;

/** The list of messages by SMS and WhatsApp. */
export const Page = () => (
  <ResourceList
    resource="messages"
    title="Messages"
    path="/messages"
    exported="/exports/messages.csv"
    filters={[
      { name: "status", label: "Status", options: STATUSES.map((value) => ({ value, label: statusWords(value) })) },
      {
        name: "channel",
        label: "By",
        options: Object.entries(CHANNEL_NAMES).map(([value, label]) => ({ value, label })),
      },
      { name: "from", label: "From", day: true },
    ]}
    columns={[
      { name: "text", label: "Text", cell: ({ text }) => <Words of={text} /> },
      { name: "recipient", label: "To", cell: ({ recipient }) => <Words of={recipient} /> },
      { name: "customerId", label: "Customer", cell: ({ customerId }) => <IdLink id={customerId} /> },
      { name: "channel", label: "By", cell: ({ channel }) => CHANNEL_NAMES[channel] },
      { name: "kind", label: "Type", cell: ({ kind }) => words(kind), extra: true },
      { name: "segments", label: "Parts", cell: ({ segments }) => segments ?? "–", figures: true },
      { name: "status", label: "Status", cell: ({ status }) => <Status of={status} /> },
      { name: "createdAt", label: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
      { name: "deliveredAt", label: "Delivered", cell: ({ deliveredAt }) => <Time at={deliveredAt} />, extra: true },
    ]}
    empty={{
      title: "No messages yet",
      text: "Payment links that you send by SMS or WhatsApp appear here, with what became of them. Connect a provider to send the first.",
      first: { label: "Connect a provider", permission: "settings:write", to: "/messaging" },
    }}
  />
);
