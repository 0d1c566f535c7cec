import type { Instant } from "../../kernel/time.ts";
import { momentInWords } from "../wording.ts";
import { type Mail, quoted, renderMail, tefo } from "./layout.ts";

export interface EndpointDisabledFacts {
  readonly organisationName: string;
  readonly sandbox: boolean;
  readonly endpointUrl: string;
  /** `failing`: all deliveries of more than 5 days have failed; `gone`: the endpoint answered 410 (interface 6.6). */
  readonly reason: "failing" | "gone";
  readonly failingSince: Instant;
  readonly disabledAt: Instant;
  /** The last answer, as the dashboard shows it: `HTTP 500`, `connection refused`. */
  readonly lastError: string;
  /** URL of the endpoint in the dashboard. */
  readonly url: string;
}

/** Mail to the owners: a webhook endpoint was disabled and gets no more events. */
export function endpointDisabledMail(facts: EndpointDisabledFacts): Mail {
  const organisation = quoted(facts.organisationName);
  const why =
    facts.reason === "gone"
      ? "It answered 410 Gone, which asks us to stop."
      : "It has not accepted a single delivery for more than 5 days.";
  return renderMail({
    brand: tefo(facts.sandbox),
    subject: `A webhook endpoint of ${organisation} was switched off`,
    preview: why,
    heading: "Webhook endpoint switched off",
    blocks: [
      { kind: "paragraph", text: `${why} Events of ${organisation} are no longer sent there.` },
      {
        kind: "facts",
        rows: [
          ["Endpoint", facts.endpointUrl],
          facts.reason === "failing" ? ["Failing since", momentInWords(facts.failingSince)] : null,
          ["Switched off", momentInWords(facts.disabledAt)],
          ["Last answer", facts.lastError],
        ],
      },
      { kind: "button", label: "Open the endpoint", url: facts.url },
      {
        kind: "note",
        text: "Once it works again, switch it on in the dashboard. The events stay listed there, and deliveries can be sent again.",
      },
    ],
  });
}
