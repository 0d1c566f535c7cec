import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecordName } from "../../api/names.ts";
import { useRecord } from "../../api/records.ts";
import { Loaded } from "../../components/frame.tsx";
import { Permitted } from "../../components/notice.tsx";
import { ResourcePage, Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Money, RecordName, Status, Time, Words } from "../../components/values.tsx";
import { per } from "../../lib/frequency.ts";
import { words } from "../../lib/words.ts";
import { Actions } from "./actions.tsx";

/** The page of a gateway subscription. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const record = useRecord(["/subscriptions", id], () =>
    got(api.GET("/subscriptions/{id}", { params: { path: { id } } })),
  );
  const name = useRecordName(id).data?.name;
  return (
    <ResourcePage
      resource="subscriptions"
      list="Billed by gateways"
      record={record}
      show={(subscription) => ({
        title: <RecordName id={id} />,
        name: name ?? "Gateway subscription",
        id,
        status: subscription.status,
        figure: (
          <>
            <Money amount={subscription.amount} currency={subscription.currency} /> {per(subscription.frequency)}
          </>
        ),
        facts: facts(subscription),
        actions: <Actions subscription={subscription} />,
        sections: (
          <Permitted to="transactions:read">
            <Charges id={id} />
          </Permitted>
        ),
      })}
    />
  );
}

const facts = (subscription: Shape<"GatewaySubscription">) =>
  [
    ["Gateway", <Words key="gateway" of={subscription.gateway && words(subscription.gateway)} />],
    ["Payment link", <IdLink key="link" id={subscription.paymentLinkId} />],
    ["Your reference", <Words key="reference" of={subscription.externalReference} />],
    ["Since", <Time key="since" at={subscription.createdAt} />],
    ["Last updated", <Time key="changed" at={subscription.updatedAt} />],
  ] as const;

function Charges({ id }: { readonly id: string }) {
  const charges = useRecord(["/subscriptions", id, "charges"], () =>
    got(api.GET("/subscriptions/{id}/charges", { params: { path: { id }, query: { limit: 50 } } })),
  );
  return (
    <Section title="Charges">
      <Loaded of={charges}>
        {({ data }) => (
          <Rows
            label="Charges"
            items={data}
            keyOf={({ reference }) => reference}
            none="Nothing was charged yet."
            columns={[
              { label: "Reference", cell: ({ reference }) => <IdLink id={reference} /> },
              { label: "Status", cell: ({ status }) => <Status of={status} /> },
              { label: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
              { label: "Paid", cell: ({ paidAt }) => <Time at={paidAt} /> },
              {
                label: "Amount",
                figures: true,
                cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}
