import { api, got } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { Loaded } from "../../components/frame.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Money, Status } from "../../components/values.tsx";

/**
 * The amounts that another platform has billed for a package's external subscriptions, beside those that the service
 * would have billed. Nothing when there are none.
 */
export function ExternalComparison({ id }: { readonly id: string }) {
  const comparison = useRecord(["/packages", id, "shadow"], () =>
    got(api.GET("/packages/{id}/shadow", { params: { path: { id }, query: { limit: 50 } } })),
  );
  if (comparison.data?.data.length === 0) return null;
  return (
    <Section title="Parallel run">
      <Loaded of={comparison}>
        {({ data, totals, hasMore }) => (
          <Rows
            label="Parallel run"
            items={data}
            keyOf={({ subscriptionId }) => subscriptionId}
            none="None."
            columns={[
              {
                label: "Subscription",
                cell: ({ subscriptionId, externalReference }) => (
                  <IdLink id={subscriptionId}>{externalReference}</IdLink>
                ),
              },
              { label: "Status", cell: ({ status }) => <Status of={status} /> },
              {
                label: "Periods that differ",
                figures: true,
                cell: ({ differing, reported }) => `${differing} of ${reported}`,
              },
              {
                label: "Billed by the platform",
                figures: true,
                cell: ({ billedAmount, currency }) => <Money amount={billedAmount} currency={currency} />,
              },
              {
                label: "Tefo would bill",
                figures: true,
                cell: ({ shadowAmount, currency }) => <Money amount={shadowAmount} currency={currency} />,
              },
              {
                label: "Difference",
                figures: true,
                cell: ({ difference, currency }) => <Money amount={difference} currency={currency} />,
              },
            ]}
            foot={totals.map(
              ({ currency, subscriptions, differing, reported, difference }) =>
                [
                  `All ${subscriptions} in ${currency}${hasMore ? " (the newest are shown)" : ""}: ${differing} of ${reported} periods differ, by`,
                  <Money key={currency} amount={difference} currency={currency} />,
                ] as const,
            )}
          />
        )}
      </Loaded>
    </Section>
  );
}
