import type { Instant } from "../../kernel/time.ts";
import { momentInWords } from "../wording.ts";
import { type Mail, quoted, renderMail, tefo } from "./layout.ts";

export interface InvitationFacts {
  readonly organisationName: string;
  readonly sandbox: boolean;
  readonly inviterName: string | null;
  /** The role offered, as the dashboard names it. */
  readonly role: string;
  readonly url: string;
  readonly expiresAt: Instant;
}

/** Mail to somebody who is invited to an organisation's dashboard (interface 14.1, members). */
export function invitationMail(facts: InvitationFacts): Mail {
  const organisation = quoted(facts.organisationName);
  const inviter = facts.inviterName === null ? "You have been invited" : `${quoted(facts.inviterName)} invites you`;
  return renderMail({
    brand: tefo(facts.sandbox),
    subject: `Join ${organisation} on Tefo`,
    preview: `${inviter} to the dashboard of ${organisation}.`,
    heading: `Join ${organisation}`,
    blocks: [
      {
        kind: "paragraph",
        text: `${inviter} to the payments dashboard of ${organisation}, in the role ${quoted(facts.role)}.`,
      },
      { kind: "button", label: "Accept the invitation", url: facts.url },
      { kind: "note", text: `The link is for you alone and works until ${momentInWords(facts.expiresAt)}.` },
      { kind: "note", text: "If you do not know them, ignore this email." },
    ],
  });
}
