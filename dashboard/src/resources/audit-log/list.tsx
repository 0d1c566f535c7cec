import type { Shape } from "../../api/client.ts";
import { useList } from "../../api/lists.ts";
import { useMay } from "../../api/session.ts";
import { Actor } from "../../components/actor.tsx";
import { Changes } from "../../components/changes.tsx";
import { TextLink } from "../../components/link.tsx";
import { ResourceList } from "../../components/resource-list.tsx";
import { CopyId, IdLink, Time, Words } from "../../components/values.tsx";
import { actionWords } from "../../lib/action-words.ts";
import { differences } from "../../lib/edits.ts";
import { pathTo } from "../../lib/paths.ts";
import { words } from "../../lib/words.ts";

type Entry = Shape<"AuditEntry">;

/** The audit log. */
export function Page() {
  const who = useWho();
  return (
    <ResourceList
      resource="audit-log"
      title="Audit log"
      path="/audit-log"
      exported="/exports/audit-log.csv"
      linkOf={() => null}
      filters={[
        { name: "actorId", label: "User", options: who },
        { name: "action", label: "Action" },
        { name: "subject", label: "Record's id" },
      ]}
      columns={[
        { name: "at", label: "Date", cell: ({ at }) => <Time at={at} /> },
        { name: "actor", label: "User", cell: ({ actor }) => <Who of={actor} /> },
        { name: "action", label: "Description", cell: (entry) => <Done entry={entry} /> },
        { name: "subject", label: "Record", cell: (entry) => <Subject of={subjectOf(entry)} /> },
        {
          name: "id",
          label: "Record's id",
          cell: ({ subject }) => (subject === null ? "–" : <CopyId id={subject} />),
          extra: true,
        },
        { name: "ip", label: "From", cell: ({ actor }) => actor.ip ?? "–", extra: true },
        {
          name: "requestId",
          label: "Request",
          // Requests of people are not in the request log.
          cell: ({ requestId, actor }) =>
            actor.kind === "key" && requestId !== null ? (
              <IdLink id={requestId}>{requestId}</IdLink>
            ) : (
              <Words of={requestId} />
            ),
          extra: true,
        },
      ]}
      empty={{
        title: "Nothing was changed yet",
        text: "Every change by staff and by API keys is kept here: who, what, when and from where.",
      }}
    />
  );
}

/** Members and API keys, by which the log can be filtered. */
function useWho() {
  const may = useMay();
  const members = useList("/members", { limit: "100" }, may("members:read"));
  const keys = useList("/api-keys", { limit: "100" }, may("api_keys:read"));
  return [
    ...(members.data?.data ?? []).map(({ id, name, email }) => ({ value: id, label: name || email })),
    ...(keys.data?.data ?? []).map(({ id, name }) => ({ value: id, label: `API key ${name}` })),
  ];
}

const Who = ({ of }: { readonly of: Entry["actor"] }) =>
  of.id === null ? (
    <Actor of={of} />
  ) : (
    <TextLink to="/audit-log" search={{ actorId: of.id }}>
      <Actor of={of} />
    </TextLink>
  );

/** The action, in words and as the API names it, and the fields that have changed. */
function Done({ entry: { action, before, after } }: { readonly entry: Entry }) {
  const changed = changesOf(before, after);
  return (
    <>
      {actionWords(action)}
      <div className="tefo-quiet">
        <code>{action}</code>
      </div>
      {changed.length > 0 && (
        <details>
          <summary>{changed.length === 1 ? "1 field" : `${changed.length} fields`}</summary>
          <Changes of={changed} />
        </details>
      )}
    </>
  );
}

/** Fields that change with every change, and are left out. */
const MOVING = new Set(["updatedAt"]);

const changesOf = (before: unknown, after: unknown) =>
  isObject(before) && isObject(after)
    ? differences(before, after).flatMap(({ path, before: old, value }) =>
        MOVING.has(path) ? [] : [{ path, before: old, after: value }],
      )
    : [];

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

/** The subject of the change; for a note, the record that it is about. */
function subjectOf({ subject, before, after }: Entry): string | null {
  const note = subject?.startsWith("note_") ? ((after ?? before) as { subject?: string } | null) : null;
  return note?.subject ?? subject;
}

/** Records of which the organisation has one, by the address of its page. */
const PAGES: Readonly<Record<string, string>> = {
  settings: "/settings",
  "checkout-pages": "/checkout-pages",
  "allowed-return-urls": "/allowed-return-urls",
  "webhook-deliveries": "/webhook-deliveries",
  xero: "/accounting/software",
  sage: "/accounting/software",
  quickbooks: "/accounting/software",
};

function Subject({ of }: { readonly of: string | null }) {
  if (of !== null && PAGES[of] !== undefined) return <TextLink to={PAGES[of]}>{words(of)}</TextLink>;
  if (of !== null && /^\d{4}-\d{2}$/.test(of)) return <TextLink to={pathTo("accounting/months", of)}>{of}</TextLink>;
  return <IdLink id={of} />;
}
