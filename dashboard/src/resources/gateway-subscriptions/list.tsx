import { ButtonLink } from "../../components/link.tsx";
import { ResourceList } from "../../components/resource-list.tsx";
import { IdLink, Money, RecordName, Status, Time, Words } from "../../components/values.tsx";
import { per } from "../../lib/frequency.ts";
import { words } from "../../lib/words.ts";
import { BULK } from "./bulk.ts";

/** The list of gateway subscriptions. */
export const Page = () => (
  <ResourceList
    resource="subscriptions"
    title="Billed by gateways"
    path="/subscriptions"
    exported="/exports/subscriptions.csv"
    actions={
      <ButtonLink to="/subscriptions/migrations" variant="default">
        Migrations
      </ButtonLink>
    }
    filters={[{ name: "externalReference", label: "Your reference" }]}
    columns={[
      { name: "name", label: "For", cell: ({ id }) => <RecordName id={id} /> },
      { name: "status", label: "Status", cell: ({ status }) => <Status of={status} /> },
      { name: "gateway", label: "Gateway", cell: ({ gateway }) => <Words of={gateway && words(gateway)} /> },
      {
        name: "paymentLinkId",
        label: "Payment link",
        cell: ({ paymentLinkId }) => <IdLink id={paymentLinkId} />,
        extra: true,
      },
      {
        name: "externalReference",
        label: "Your reference",
        cell: ({ externalReference }) => <Words of={externalReference} />,
      },
      { name: "createdAt", label: "Since", cell: ({ createdAt }) => <Time at={createdAt} day /> },
      {
        name: "amount",
        label: "Amount",
        figures: true,
        cell: ({ amount, currency, frequency }) => (
          <span>
            <Money amount={amount} currency={currency} /> {per(frequency)}
          </span>
        ),
      },
    ]}
    bulk={BULK}
    empty={{
      title: "No gateway subscription yet",
      text: "A gateway subscription is charged by the card gateway itself. It begins when somebody pays a recurring payment link.",
      first: { label: "New payment link", permission: "payment_links:write", to: "/payment-links/new" },
    }}
  />
);
