import type { PreviewedDocument } from "../flows/documents/parties.ts";
import type { Composed } from "../flows/mail/mail.ts";
import type { Reply } from "./endpoint.ts";

/** A record as the API shows it, and as the audit log stores it. */
type Shown = object & { readonly id: string };

/** 201 with the created record; the audit log stores it. */
export const created = (view: Shown): Reply => ({ status: 201, body: view, audit: { subject: view.id, after: view } });

/** 200 with the changed record; the audit log stores it before and after. */
export const changed = (before: Shown, after: Shown): Reply => ({
  status: 200,
  body: after,
  audit: { subject: after.id, before, after },
});

/** 200 with the removed record; the audit log stores it. */
export const removed = (view: Shown): Reply => ({ status: 200, body: view, audit: { subject: view.id, before: view } });

/** A mail as its recipient would get it (`mailPreview`). */
export const mailBody = ({ fromName, replyTo, mail }: Composed) => ({
  fromName,
  replyTo,
  subject: mail.subject,
  html: mail.html.toString(),
});

/** A `DocumentPreview`, with the customer's page. */
export const previewBody = ({ number, mail, pdf, taxInvoice }: PreviewedDocument, page: string | null) => ({
  number,
  page,
  mail: mailBody(mail),
  pdf: pdf.content.toString("base64"),
  taxInvoice,
});
