import { ResourceList } from "../../components/resource-list.tsx";
import { CopyId, IdLink, Time } from "../../components/values.tsx";

/** The list of events. */
export const Page = () => (
  <ResourceList
    resource="events"
    title="Events"
    path="/events"
    exported="/exports/events.csv"
    columns={[
      { name: "type", label: "Type", cell: ({ type }) => type },
      { name: "subject", label: "Record", cell: ({ subject }) => <IdLink id={subject} /> },
      { name: "id", label: "Record ID", cell: ({ subject }) => <CopyId id={subject} />, extra: true },
      { name: "sequence", label: "Number", cell: ({ sequence }) => sequence, figures: true, extra: true },
      { name: "created", label: "Date", cell: ({ created }) => <Time at={created} /> },
    ]}
    empty={{
      title: "Nothing has happened yet",
      text: "Each payment, invoice and subscription says here what becomes of it. The search finds a type, an id, or the record that events are about.",
    }}
  />
);
