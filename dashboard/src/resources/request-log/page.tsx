import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { TextLink } from "../../components/link.tsx";
import { ResourcePage, Section } from "../../components/resource-page.tsx";
import { Time } from "../../components/values.tsx";
import { Answer } from "./answer.tsx";

/** The page of a request of an API key. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const request = useRecord(["/request-log", id], () =>
    got(api.GET("/request-log/{id}", { params: { path: { id } } })),
  );
  return (
    <ResourcePage
      resource="request-log"
      list="Request log"
      record={request}
      show={(record) => ({
        title: `${record.method} ${record.path}`,
        name: `${record.method} ${record.path}`,
        id: record.id,
        timeline: false,
        facts: facts(record),
        sections: (
          <>
            <Body title="Sent" of={record.requestBody} />
            <Body title="Refusal" of={record.responseBody} />
          </>
        ),
      })}
    />
  );
}

/** A body, masked; nothing of a request without one. */
function Body({ title, of: text }: { readonly title: string; readonly of: string | null | undefined }) {
  if (!text) return null;
  return (
    <Section title={title}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by keyboard */}
      <pre dir="auto" tabIndex={0} className="tefo-words">
        {indented(text)}
      </pre>
    </Section>
  );
}

/** JSON by lines; text that was cut as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const IDEMPOTENCY = {
  first: "new: the request was performed",
  replayed: "known: answered as the first request with it",
  conflict: "in use: another body, or the first is still running",
} as const;

const facts = ({ status, error, at, durationMs, key, parameters, idempotency }: Shape<"Request">) =>
  [
    ["Response", <Answer key="answer" of={{ status, error }} />],
    ["Date", <Time key="when" at={at} />],
    ["Duration", `${durationMs} ms`],
    [
      "Key",
      <TextLink key="key" to="/request-log" search={{ keyId: key.id }}>
        {key.prefix}
      </TextLink>,
    ],
    ["Query parameters", parameters.join(", ") || "–"],
    ["Idempotency-Key", idempotency === null ? "–" : IDEMPOTENCY[idempotency]],
  ] as const;
