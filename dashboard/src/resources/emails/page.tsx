import { Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { ResourcePage, Section } from "../../components/resource-page.tsx";
import { Time, Words } from "../../components/values.tsx";
import { words } from "../../lib/words.ts";

type Email = Shape<"Email">;

/** The page of a mail, as its recipients see it. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const email = useRecord(["/emails", id], () => got(api.GET("/emails/{id}", { params: { path: { id } } })));
  return (
    <ResourcePage
      resource="emails"
      list="Emails"
      record={email}
      show={(record) => ({
        title: record.subject,
        name: record.subject,
        id: record.id,
        status: record.status,
        facts: facts(record),
        sections: <Content email={record} />,
        timeline: false,
      })}
    />
  );
}

const facts = (email: Email) =>
  [
    ["To", <Words key="to" of={email.recipients.join(", ")} />],
    ["From", <Words key="from" of={email.fromName} />],
    ["Replies to", <Words key="reply" of={email.replyTo} />],
    ["Type", words(email.kind)],
    ["Created", <Time key="written" at={email.createdAt} />],
    ["Sent", <Time key="sent" at={email.sentAt} />],
    ["Error", <Words key="error" of={email.error} />],
  ] as const;

const Content = ({ email: { html, text, subject } }: { readonly email: Email }) =>
  html === null && text === null ? (
    <Section title="Mail">
      <Text size="sm">
        A link in this email would let its reader do more than your role may, so it is not shown to you.
      </Text>
    </Section>
  ) : html === "" && text === "" ? (
    <Section title="Mail">
      <Text size="sm">The text of this email is no longer kept: its time is over, or its customer was erased.</Text>
    </Section>
  ) : (
    <>
      {html !== null && (
        <Section title="Mail">
          {/* No script, form or address of this page is within its reach. */}
          <iframe className="tefo-proof" sandbox="" srcDoc={html} title={`The mail ${subject}`} />
        </Section>
      )}
      {text !== null && (
        <details className="tefo-raw">
          <summary>As plain text</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by keyboard */}
          <pre dir="auto" tabIndex={0} className="tefo-words">
            {text}
          </pre>
        </details>
      )}
    </>
  );
