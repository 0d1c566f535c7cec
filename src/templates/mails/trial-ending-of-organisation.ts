import { DAY_SECONDS, type Instant } from "../../kernel/time.ts";
import { momentInWords } from "../wording.ts";
import { type Mail, quoted, renderMail, tefo } from "./layout.ts";

export interface TrialEndingOfOrganisation {
  readonly organisationName: string;
  readonly slug: string;
  readonly sandbox: boolean;
  readonly endsAt: Instant;
  readonly secondsLeft: number;
  /** URL of the dashboard. */
  readonly url: string;
}

/** Mail to owners and admins: the organisation's own trial ends, and who must do what until then. */
export function trialEndingMail(facts: TrialEndingOfOrganisation): Mail {
  const organisation = quoted(facts.organisationName);
  const end = momentInWords(facts.endsAt);
  const days = Math.ceil(facts.secondsLeft / DAY_SECONDS);
  const left = days <= 1 ? "tomorrow" : `in ${days} days`;
  return renderMail({
    brand: tefo(facts.sandbox),
    subject: `The trial of ${organisation} ends ${left}`,
    preview: `It ends on ${end}. Ask whoever runs this server to activate it before.`,
    heading: `The trial ends ${left}`,
    blocks: [
      {
        kind: "paragraph",
        text:
          `The trial of ${organisation} ends on ${end}. After that everything can still be read, but nothing can be added ` +
          "or changed, here and by your own systems, until the organisation is active.",
      },
      {
        kind: "facts",
        rows: [
          ["Organisation", facts.organisationName],
          ["Trial ends", end],
          ["Who must act", "Whoever runs this server"],
          ["What they run", `tefo org update ${facts.slug} --status active`],
        ],
      },
      { kind: "button", label: "Open the dashboard", url: facts.url },
      {
        kind: "note",
        text: "Nothing is lost when the trial ends: once the organisation is active, it goes on where it stopped.",
      },
    ],
  });
}
