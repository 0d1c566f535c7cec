import { useList } from "../../api/lists.ts";
import { ResourceList } from "../../components/resource-list.tsx";
import { CopyId, Time, Words } from "../../components/values.tsx";
import { words } from "../../lib/words.ts";
import { Answer } from "./answer.tsx";

/** The list of requests of API keys. */
export function Page() {
  const keys = useList("/api-keys", { limit: "100" });
  return (
    <ResourceList
      resource="request-log"
      title="Request log"
      path="/request-log"
      exported="/exports/request-log.csv"
      filters={[
        {
          name: "status",
          label: "Response",
          options: [
            { value: "2xx", label: "Succeeded" },
            { value: "4xx", label: "Refused" },
            { value: "5xx", label: "Failed" },
          ],
        },
        { name: "path", label: "Path" },
        {
          name: "keyId",
          label: "Key",
          options: (keys.data?.data ?? []).map(({ id, name, prefix }) => ({ value: id, label: `${name} (${prefix})` })),
        },
        { name: "from", label: "From", day: true },
        { name: "to", label: "To", day: true },
      ]}
      columns={[
        {
          name: "request",
          label: "Request",
          cell: ({ method, path }) => (
            <code className="tefo-words">
              {method} {path}
            </code>
          ),
        },
        { name: "status", label: "Response", cell: (request) => <Answer of={request} /> },
        { name: "at", label: "Date", cell: ({ at }) => <Time at={at} /> },
        { name: "took", label: "Duration", cell: ({ durationMs }) => `${durationMs} ms`, figures: true },
        { name: "key", label: "Key", cell: ({ key }) => <code>{key.prefix}</code> },
        {
          name: "parameters",
          label: "Parameters",
          cell: ({ parameters }) => parameters.join(", ") || "–",
          extra: true,
        },
        {
          name: "idempotency",
          label: "Idempotency-Key",
          cell: ({ idempotency }) => <Words of={idempotency && words(idempotency)} />,
          extra: true,
        },
        { name: "id", label: "Id", cell: ({ id }) => <CopyId id={id} />, extra: true },
      ]}
      empty={{
        title: "No request yet",
        text: "What your systems ask with an API key appears here for 30 days: which path, how it was answered, how long it took, and what was sent, with names, addresses, account numbers and other texts masked.",
      }}
    />
  );
}
