import { Group } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import type { BulkAction } from "../../components/bulk-bar.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { ResourceList } from "../../components/resource-list.tsx";
import { Money, Status, Time, Words } from "../../components/values.tsx";
import { per } from "../../lib/frequency.ts";
import { pathOfId } from "../../lib/paths.ts";
import { counted } from "../../lib/words.ts";

type Migration = Shape<"SubscriptionMigration">;

const TOUCHES = ["/subscriptions", "/customer-subscriptions", "/emails", "/timeline"];

const keyed = (id: string, key: string) => ({ params: { path: { id }, header: { "Idempotency-Key": key } } });

const common = {
  permission: "subscriptions:write",
  name: ({ payerName, email }: Migration) => `${payerName}, ${email}`,
  touches: TOUCHES,
} as const;

const sendAll: BulkAction<Migration> = {
  ...common,
  label: "Send again",
  applies: ({ status }) => status === "link_sent",
  what: (chosen) =>
    `${counted(chosen.length, "customer gets", "customers get")} the email with the page to confirm the card again.`,
  run: ({ id }, key) => got(api.POST("/subscriptions/migrations/{id}/send-link", keyed(id, key))),
};

const cancelAll: BulkAction<Migration> = {
  ...common,
  label: "Cancel migrations",
  danger: true,
  applies: ({ status }) => status === "link_sent",
  what: (chosen) =>
    `${counted(chosen.length, "link stops", "links stop")} working, and the ${chosen.length === 1 ? "subscription here is" : "subscriptions here are"} cancelled. The old debit orders stay as they are.`,
  run: ({ id }, key) => got(api.POST("/subscriptions/migrations/{id}/cancel", keyed(id, key))),
};

const markAll: BulkAction<Migration> = {
  ...common,
  label: "They have ended",
  applies: ({ status }) => status === "authorised",
  what: (chosen) =>
    `It is noted that ${counted(chosen.length, "instruction")} elsewhere ${chosen.length === 1 ? "was" : "were"} ended by hand. Nothing is asked of a gateway.`,
  run: ({ id }, key) => got(api.POST("/subscriptions/migrations/{id}/mark-legacy-cancelled", keyed(id, key))),
};

/** Card subscriptions that are being moved here from another service, with the actions on each. */
export const Page = () => (
  <ResourceList
    resource="subscriptions"
    title="Migrations"
    path="/subscriptions/migrations"
    exported="/exports/subscriptions-migrations.csv"
    create={{ label: "Start migration", permission: "subscriptions:write", to: "/subscriptions/migrations/new" }}
    actions={
      <ButtonLink to="/customer-subscriptions" variant="default">
        Customer subscriptions
      </ButtonLink>
    }
    linkOf={({ subscriptionId }) => pathOfId(subscriptionId) ?? "/subscriptions"}
    columns={[
      { name: "payer", label: "Customer", cell: ({ payerName }) => <Words of={payerName} /> },
      { name: "email", label: "Email address", cell: ({ email }) => <Words of={email} /> },
      { name: "status", label: "Status", cell: ({ status }) => <Status of={status} /> },
      {
        name: "legacyReference",
        label: "Reference elsewhere",
        cell: ({ legacyReference }) => <Words of={legacyReference} />,
      },
      { name: "nextDate", label: "First charge", cell: ({ nextDate }) => <Time at={nextDate} day /> },
      {
        name: "amount",
        label: "Amount",
        figures: true,
        cell: ({ amount, frequency }) => (
          <span>
            <Money amount={amount} currency="ZAR" /> {per(frequency)}
          </span>
        ),
      },
      { name: "actions", label: "Actions", cell: (migration) => <Actions of={migration} /> },
    ]}
    bulk={[sendAll, markAll, cancelAll]}
    empty={{
      title: "No migration yet",
      text: "Cards that are charged elsewhere are brought over here: start a migration here or by the API, and each gets a customer subscription, and its customer an email with a page to confirm the card. The old debit order ends once they have.",
    }}
  />
);

const Actions = ({ of }: { readonly of: Migration }) => (
  <Group gap="xs" justify="flex-end">
    {of.status === "link_sent" && <SendLink of={of} />}
    {of.status === "authorised" && <CancelElsewhere of={of} />}
    {of.status === "authorised" && <MarkCancelled of={of} />}
    {of.status === "link_sent" && <Cancel of={of} />}
  </Group>
);

const SendLink = ({ of: { id, email } }: { readonly of: Migration }) => (
  <MoneyAction
    label="Send again"
    title="Send the link again"
    permission="subscriptions:write"
    initial={{}}
    what={() => `${email} gets the email with the page to confirm the card again.`}
    send={(_values, keyFor) => got(api.POST("/subscriptions/migrations/{id}/send-link", keyed(id, keyFor(null))))}
    touches={TOUCHES}
    said={() => "Email sent"}
    button={{ size: "xs", variant: "default" }}
  />
);

const CancelElsewhere = ({ of: { id, legacyReference } }: { readonly of: Migration }) => (
  <MoneyAction
    label="Cancel the old debit order"
    title="Cancel old debit order"
    permission="subscriptions:write"
    initial={{}}
    what={() => `The gateway is asked to end ${legacyReference}, so that the customer is not charged twice.`}
    send={(_values, keyFor) => got(api.POST("/subscriptions/migrations/{id}/cancel-legacy", keyed(id, keyFor(null))))}
    touches={TOUCHES}
    said={() => "Old debit order cancelled"}
    button={{ size: "xs" }}
  />
);

const MarkCancelled = ({ of: { id, legacyReference } }: { readonly of: Migration }) => (
  <MoneyAction
    label="It has ended"
    title="Old debit order cancelled"
    permission="subscriptions:write"
    initial={{}}
    what={() => `It is noted that ${legacyReference} was ended by hand. Nothing is asked of a gateway.`}
    send={(_values, keyFor) =>
      got(api.POST("/subscriptions/migrations/{id}/mark-legacy-cancelled", keyed(id, keyFor(null))))
    }
    touches={TOUCHES}
    said={() => "Noted."}
    button={{ size: "xs", variant: "default" }}
  />
);

const Cancel = ({ of: { id, payerName } }: { readonly of: Migration }) => (
  <MoneyAction
    label="Cancel"
    title="Cancel the migration"
    permission="subscriptions:write"
    initial={{}}
    danger
    what={() =>
      `The link of ${payerName} no longer works, and the subscription here is cancelled. The old debit order stays as it is.`
    }
    send={(_values, keyFor) => got(api.POST("/subscriptions/migrations/{id}/cancel", keyed(id, keyFor(null))))}
    touches={TOUCHES}
    said={() => "Migration cancelled"}
    button={{ size: "xs" }}
  />
);
