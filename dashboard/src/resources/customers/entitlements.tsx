import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { Rows, Section } from "../../components/resource-page.tsx";
import { IdLink } from "../../components/values.tsx";

type Entitlement = Shape<"Entitlement">;

const inWords = ({ type, value }: Entitlement): string => {
  if (type === "boolean") return value ? "Included" : "Not included";
  return value === null ? "Without limit" : `Up to ${value}`;
};

/** What the customer's subscriptions entitle to (interface 4.8); nothing without any. */
export function Entitlements({ customer }: { readonly customer: string }) {
  const { data: found } = useRecord(["/customers", customer, "entitlements"], () =>
    got(api.GET("/customers/{id}/entitlements", { params: { path: { id: customer } } })),
  );
  if (!found?.data.length) return null;
  return (
    <Section title="Entitlements">
      <Rows
        label="Entitlements"
        items={found.data}
        keyOf={({ key }) => key}
        none="None"
        columns={[
          { label: "Feature", cell: ({ key }) => <code>{key}</code> },
          { label: "Included", cell: inWords },
          { label: "By", cell: ({ subscriptionId }) => <IdLink id={subscriptionId} /> },
        ]}
      />
    </Section>
  );
}
