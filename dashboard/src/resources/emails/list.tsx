import { ResourceList } from "../../components/resource-list.tsx";
import { Status, statusWords, Time, Words } from "../../components/values.tsx";
import { words } from "../../lib/words.ts";

const STATUSES = ["recorded", "queued", "sending", "sent", "failed", "unknown"] as const;

/** The list of mails. */
export const Page = () => (
  <ResourceList
    resource="emails"
    title="Emails"
    path="/emails"
    exported="/exports/emails.csv"
    filters={[
      { name: "status", label: "Status", options: STATUSES.map((value) => ({ value, label: statusWords(value) })) },
      { name: "recipient", label: "Recipient" },
      { name: "from", label: "From", day: true },
    ]}
    columns={[
      { name: "subject", label: "Subject", cell: ({ subject }) => <Words of={subject} /> },
      { name: "recipients", label: "To", cell: ({ recipients }) => <Words of={recipients.join(", ")} /> },
      { name: "kind", label: "Type", cell: ({ kind }) => words(kind) },
      { name: "status", label: "Status", cell: ({ status }) => <Status of={status} /> },
      { name: "createdAt", label: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
      { name: "sentAt", label: "Sent", cell: ({ sentAt }) => <Time at={sentAt} />, extra: true },
    ]}
    empty={{
      title: "No emails yet",
      text: "Invoices, receipts, reminders and sign-in links that were emailed to your customers appear here, as they were sent. Send an invoice to see the first.",
      first: { label: "New invoice", permission: "invoices:write", to: "/invoices/new" },
    }}
  />
);
