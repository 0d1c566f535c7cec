import { ResourceList } from "../../components/resource-list.tsx";
import { IdLink, Time, Words } from "../../components/values.tsx";
import { actionWords } from "../../lib/action-words.ts";
import { words } from "../../lib/words.ts";

const Done = ({ action }: { readonly action: string }) => (
  <>
    {actionWords(action)}
    <div className="tefo-quiet">
      <code>{action}</code>
    </div>
  </>
);

/** The audit log. */
export const Page = () => (
  <ResourceList
    resource="audit-log"
    title="Audit log"
    path="/audit-log"
    linkOf={() => null}
    filters={[
      { name: "subject", label: "Record" },
      { name: "action", label: "Action" },
      { name: "actorId", label: "Who (id)" },
    ]}
    columns={[
      { name: "at", label: "When", cell: ({ at }) => <Time at={at} /> },
      { name: "actor", label: "Who", cell: ({ actor }) => <Words of={actor.name ?? words(actor.kind)} /> },
      { name: "action", label: "What", cell: ({ action }) => <Done action={action} /> },
      { name: "subject", label: "Record", cell: ({ subject }) => <IdLink id={subject} /> },
      { name: "ip", label: "From", cell: ({ actor }) => actor.ip ?? "–", extra: true },
      {
        name: "requestId",
        label: "Request",
        // Requests of people are not in the request log.
        cell: ({ requestId, actor }) => (actor.kind === "key" ? <IdLink id={requestId} /> : <Words of={requestId} />),
        extra: true,
      },
    ]}
    empty={{
      title: "Nothing was changed yet",
      text: "Every change by staff and by API keys is kept here: who, what, when and from where.",
    }}
  />
);
