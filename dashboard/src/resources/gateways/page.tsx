import { Text } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { Failure } from "../../components/notice.tsx";
import { PayoutHold } from "../../components/payout-hold.tsx";
import { Facts, ResourcePage, Section } from "../../components/resource-page.tsx";
import { CopyId, Status, Time, Words } from "../../components/values.tsx";
import { abilities } from "../../lib/gateway-words.ts";
import { words } from "../../lib/words.ts";
import { Actions } from "./actions.tsx";

type Account = Shape<"GatewayAccount">;

/** The page of a gateway account: its settings, and its health. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const account = useRecord(["/gateways", id], () => got(api.GET("/gateways/{id}", { params: { path: { id } } })));
  return (
    <ResourcePage
      resource="gateways"
      list="Gateways"
      record={account}
      show={(record) => ({
        title: record.name,
        name: record.name,
        id: record.id,
        status: record.enabled ? "enabled" : "disabled",
        facts: facts(record),
        actions: <Actions account={record} />,
        sections: (
          <>
            <PayoutHold />
            {record.notifyUrl && <Notifications url={record.notifyUrl} />}
            <Health id={record.id} />
          </>
        ),
      })}
    />
  );
}

const facts = (account: Account) =>
  [
    ["Type", words(account.type)],
    ["Mode", <Status key="mode" of={account.mode} />],
    ["Currencies", account.currencies.join(", ")],
    ["Supports", <Does key="does" of={abilities(account.capabilities)} />],
    ["Credentials that are set", account.credentialsSet.map(words).join(", ") || "–"],
    ["Added", <Time key="added" at={account.createdAt} />],
    ["Last updated", <Time key="changed" at={account.updatedAt} />],
  ] as const;

const Does = ({ of }: { readonly of: string }) => (
  <span data-long="true">{of === "" ? "–" : `${of.charAt(0).toUpperCase()}${of.slice(1)}`}</span>
);

const Notifications = ({ url }: { readonly url: string }) => (
  <Section title="Notification address">
    <Text size="sm" mb="xs">
      Where the gateway reports what became of payments. If it asks for an address in its own dashboard, copy this one.
    </Text>
    <CopyId id={url} />
  </Section>
);

/** The recent health of the account. */
function Health({ id }: { readonly id: string }) {
  const health = useRecord(["/gateways", id, "health"], () =>
    got(api.GET("/gateways/{id}/health", { params: { path: { id } } })),
  );
  if (health.isError) return <Failure error={health.error} again={() => void health.refetch()} />;
  if (!health.data) return null;
  const { status, days, notifications, unclearCalls, payments } = health.data;
  return (
    <Section title="Health" actions={<Status of={status} />}>
      <Facts
        of={[
          [`Payments within ${days} days`, String(payments.expected)],
          ["Confirmed by webhook", String(payments.seen)],
          ["Confirmed by status check", String(payments.foundByAsking)],
          ["Waiting for more than an hour", String(payments.waiting)],
          ["Oldest that waits", <Time key="oldest" at={payments.oldestWaitingSince} />],
          ["Last notification", <Time key="last" at={notifications.lastAt} />],
          ["Notifications taken", String(notifications.applied)],
          ["Repeated", String(notifications.repeated)],
          ["With another amount or account", String(notifications.mismatch)],
          ["About no payment", String(notifications.unknown)],
          ["Refused", String(notifications.refused)],
          ["Why the last was refused", <Words key="refusal" of={notifications.lastRefusal} />],
          ["Calls without a clear answer", `${unclearCalls.count}, the last ${unclearCalls.inARow} in a row`],
          ["What the last said", <Words key="unclear" of={unclearCalls.last} />],
        ]}
      />
    </Section>
  );
}
