import { Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { ResourcePage, Section } from "../../components/resource-page.tsx";
import { IdLink, Time, Words } from "../../components/values.tsx";
import { CHANNEL_NAMES } from "../../lib/channels.ts";
import { words } from "../../lib/words.ts";

type Message = Shape<"Message">;

/** The page of a message by SMS or WhatsApp. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const message = useRecord(["/messages", id], () => got(api.GET("/messages/{id}", { params: { path: { id } } })));
  return (
    <ResourcePage
      resource="messages"
      list="Messages"
      record={message}
      show={(record) => ({
        title: `${CHANNEL_NAMES[record.channel]} to ${record.recipient || "an erased number"}`,
        name: `${CHANNEL_NAMES[record.channel]} to ${record.recipient || "an erased number"}`,
        id: record.id,
        status: record.status,
        facts: facts(record),
        sections: <Content message={record} />,
        timeline: false,
      })}
    />
  );
}

const facts = (message: Message) =>
  [
    ["Type", words(message.kind)],
    ["About", <IdLink key="about" id={message.about} />],
    ["Customer", <IdLink key="customer" id={message.customerId} />],
    ["Provider", words(message.provider)],
    ["Parts", message.segments ?? "–"],
    ["Created", <Time key="created" at={message.createdAt} />],
    ["Not sent before", <Time key="leaves" at={message.leavesAt} />],
    ["Sent", <Time key="sent" at={message.sentAt} />],
    ["Delivered", <Time key="delivered" at={message.deliveredAt} />],
    ["Error", <Words key="error" of={message.error} />],
  ] as const;

const Content = ({ message: { text } }: { readonly message: Message }) => (
  <Section title="Text">
    {text === "" ? (
      <Text size="sm">The text of this message is no longer kept: its customer was erased.</Text>
    ) : (
      <Text size="sm" className="tefo-words" dir="auto">
        {text}
      </Text>
    )}
  </Section>
);
