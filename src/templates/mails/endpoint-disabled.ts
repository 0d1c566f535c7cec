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
    subject: `A webhook endpoint of ${organisation} was disabled`,
    preview: why,
    heading: "Webhook endpoint disabled",
    blocks: [
      { kind: "paragraph", text: `${why} Events of ${organisation} are no longer sent there.` },
      {
        kind: "facts",
        rows: [
          ["Endpoint", facts.endpointUrl],
          facts.reason === "failing" ? ["Failing since", momentInWords(facts.failingSince)] : null,
          ["Disabled", momentInWords(facts.disabledAt)],
          ["Last response", facts.lastError],
        ],
      },
      { kind: "button", label: "View endpoint", url: facts.url },
      {
        kind: "note",
        text: "Once it works again, enable it in the dashboard. The events stay listed there, and deliveries can be resent.",
      },
    ],
  });
}
