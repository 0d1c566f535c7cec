import { Group } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { useList } from "../../api/lists.ts";
import { Frame, Loaded } from "../../components/frame.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Permitted } from "../../components/notice.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Money, Status, Time, Words } from "../../components/values.tsx";
import { per } from "../../lib/frequency.ts";

type Migration = Shape<"SubscriptionMigration">;

/** Card subscriptions that are being brought over from elsewhere, with what can be done to each. */
export function Page() {
  const migrations = useList("/subscriptions/migrations", { limit: "100" });
  return (
    <Frame title="Migrations" back={{ label: "Gateway subscriptions", to: "/subscriptions" }}>
      <Section
        title="Cards that were charged elsewhere"
        actions={
          <Permitted to="subscriptions:write">
            <ButtonLink to="/subscriptions/migrations/new" size="xs">
              Begin a migration
            </ButtonLink>
          </Permitted>
        }
      >
        <Loaded of={migrations}>
          {({ data }) => (
            <Rows
              label="Migrations"
              items={data}
              keyOf={({ id }) => id}
              none="None. Begin one here or by the API: each payer gets a mail with a page to confirm the card, and the instruction elsewhere ends once they have."
              columns={[
                { label: "Payer", cell: ({ payerName }) => <Words of={payerName} /> },
                { label: "E-mail address", cell: ({ email }) => <Words of={email} /> },
                { label: "Status", cell: ({ status }) => <Status of={status} /> },
                { label: "Reference elsewhere", cell: ({ legacyReference }) => <Words of={legacyReference} /> },
                { label: "Next charge", cell: ({ nextDate }) => <Time at={nextDate} day /> },
                { label: "Subscription", cell: ({ subscriptionId }) => <IdLink id={subscriptionId} /> },
                {
                  label: "Amount",
                  figures: true,
                  cell: ({ amount, frequency }) => (
                    <span>
                      <Money amount={amount} currency="ZAR" /> {per(frequency)}
                    </span>
                  ),
                },
                { label: "Do", cell: (migration) => <Actions of={migration} /> },
              ]}
            />
          )}
        </Loaded>
      </Section>
    </Frame>
  );
}

const TOUCHES = ["/subscriptions", "/emails", "/timeline"];

const Actions = ({ of }: { readonly of: Migration }) => (
  <Group gap="xs" justify="flex-end">
    {of.status === "link_sent" && <SendLink of={of} />}
    {of.status === "authorised" && <CancelElsewhere of={of} />}
    {of.status === "authorised" && <MarkCancelled of={of} />}
    {of.status === "link_sent" && <Cancel of={of} />}
  </Group>
);

const keyed = (id: string, key: string) => ({ params: { path: { id }, header: { "Idempotency-Key": key } } });

const SendLink = ({ of: { id, email } }: { readonly of: Migration }) => (
  <MoneyAction
    label="Send again"
    title="Send the link again"
    permission="subscriptions:write"
    initial={{}}
    what={() => `${email} gets the mail with the page to confirm the card once more.`}
    send={(_values, keyFor) => got(api.POST("/subscriptions/migrations/{id}/send-link", keyed(id, keyFor(null))))}
    touches={TOUCHES}
    said={() => "The mail is on its way."}
    button={{ size: "xs", variant: "default" }}
  />
);

const CancelElsewhere = ({ of: { id, legacyReference } }: { readonly of: Migration }) => (
  <MoneyAction
    label="End it elsewhere"
    title="End the instruction elsewhere"
    permission="subscriptions:write"
    initial={{}}
    what={() => `The gateway is asked to end ${legacyReference}, so that the payer is not charged twice.`}
    send={(_values, keyFor) => got(api.POST("/subscriptions/migrations/{id}/cancel-legacy", keyed(id, keyFor(null))))}
    touches={TOUCHES}
    said={() => "The instruction elsewhere has ended."}
    button={{ size: "xs" }}
  />
);

const MarkCancelled = ({ of: { id, legacyReference } }: { readonly of: Migration }) => (
  <MoneyAction
    label="It has ended"
    title="The instruction elsewhere has ended"
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
    what={() => `The link of ${payerName} works no longer. The instruction elsewhere goes on as it is.`}
    send={(_values, keyFor) => got(api.POST("/subscriptions/migrations/{id}/cancel", keyed(id, keyFor(null))))}
    touches={TOUCHES}
    said={() => "The migration is cancelled."}
    button={{ size: "xs" }}
  />
);
