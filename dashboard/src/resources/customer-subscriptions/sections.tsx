import { Text } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { BillLines, totalsOf } from "../../components/bill-lines.tsx";
import { Loaded } from "../../components/frame.tsx";
import { TextLink } from "../../components/link.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Money, Status, Time, Words } from "../../components/values.tsx";
import { pathTo } from "../../lib/paths.ts";
import { words } from "../../lib/words.ts";
import { hasEnded, TOUCHES } from "./words.ts";

type Subscription = Shape<"CustomerSubscription">;

/** The next invoice if nothing changes, with the reason of each line: the preview of a change without differences. */
export function NextBill({ id, subscription }: { readonly id: string; readonly subscription: Subscription }) {
  const wanted = !hasEnded(subscription) && subscription.status !== "pending" && subscription.nextBillingAt !== null;
  const preview = useRecord(
    ["/customer-subscriptions", id, "next-bill"],
    () =>
      got(
        api.POST("/customer-subscriptions/{id}/preview-change", {
          params: { path: { id } },
          body: { quantity: subscription.quantity },
        }),
      ),
    wanted && !subscription.pendingChange,
  );
  if (!wanted || subscription.pendingChange) return null;
  return (
    <Section title="Next invoice">
      <Loaded of={preview}>
        {({ nextInvoice: bill, currency }) =>
          bill === null ? (
            "Nothing is billed next."
          ) : (
            <>
              <Text size="sm" c="dimmed" mb="xs">
                On <Time at={bill.date} day />, for <Time at={bill.periodStart} day /> to{" "}
                <Time at={bill.periodEnd} day />, if nothing changes.
              </Text>
              <BillLines label="Next invoice" lines={bill.lines} currency={currency} foot={totalsOf(bill, currency)} />
            </>
          )
        }
      </Loaded>
    </Section>
  );
}

/** The pending change. */
export const PendingChange = ({
  id,
  of,
  currency,
}: {
  readonly id: string;
  readonly of: NonNullable<Subscription["pendingChange"]>;
  readonly currency: string;
}) => (
  <Section
    title="Change at the next renewal"
    actions={
      <MoneyAction
        label="Remove the change"
        title="Remove the change"
        permission="subscriptions:write"
        initial={{}}
        what={() => "The subscription stays as it is."}
        send={() => got(api.DELETE("/customer-subscriptions/{id}/pending-change", { params: { path: { id } } }))}
        touches={TOUCHES}
        said={() => "Change removed"}
        button={{ variant: "default", size: "xs" }}
      />
    }
  >
    <Text>
      On <Time at={of.effectiveAt} day /> it becomes {of.quantity} × <Words of={of.plan.name} />, for{" "}
      <Money amount={of.amount} currency={currency} />.
    </Text>
  </Section>
);

/** Its newest invoices; the lines of each show their reasons. */
export function Invoices({ id }: { readonly id: string }) {
  const invoices = useRecord(["/customer-subscriptions", id, "invoices"], () =>
    got(api.GET("/customer-subscriptions/{id}/invoices", { params: { path: { id }, query: { limit: 20 } } })),
  );
  return (
    <Section title="Invoices">
      <Loaded of={invoices}>
        {({ data }) => (
          <>
            <Rows
              label="Invoices"
              items={data}
              keyOf={(invoice) => invoice.id}
              none="Nothing was billed yet."
              columns={[
                {
                  label: "Number",
                  cell: (invoice) => <TextLink to={pathTo("invoices", invoice.id)}>{invoice.number}</TextLink>,
                },
                { label: "Status", cell: ({ status }) => <Status of={status} /> },
                { label: "Issued", cell: ({ issueDate }) => <Time at={issueDate} day /> },
                { label: "Due", cell: ({ dueDate }) => <Time at={dueDate} day /> },
                {
                  label: "Total",
                  figures: true,
                  cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
                },
              ]}
            />
            {data.map((invoice) => (
              <details key={invoice.id} className="tefo-raw">
                <summary>Lines of {invoice.number}, with their reasons</summary>
                <BillLines
                  label={`Lines of ${invoice.number}`}
                  lines={invoice.lines}
                  currency={invoice.currency}
                  foot={totalsOf({ ...invoice, tax: invoice.taxAmount }, invoice.currency)}
                />
              </details>
            ))}
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** The attempts to collect it; nothing before the first. */
export function Attempts({ id }: { readonly id: string }) {
  const attempts = useRecord(["/customer-subscriptions", id, "attempts"], () =>
    got(api.GET("/customer-subscriptions/{id}/attempts", { params: { path: { id }, query: { limit: 20 } } })),
  );
  if (attempts.data?.data.length === 0) return null;
  return (
    <Section title="Payment attempts">
      <Loaded of={attempts}>
        {({ data }) => (
          <Rows
            label="Payment attempts"
            items={data}
            keyOf={(attempt) => attempt.id}
            none="None yet."
            columns={[
              { label: "Date", cell: ({ createdAt }) => <Time at={createdAt} /> },
              { label: "Invoice", cell: ({ invoice }) => <IdLink id={invoice.id}>{invoice.number}</IdLink> },
              { label: "Reason", cell: ({ cause }) => words(cause) },
              { label: "Status", cell: ({ status, reversal }) => <Status of={reversal ? "reversed" : status} /> },
              { label: "Reason", cell: ({ reason, reversal }) => <Words of={reversal?.reason ?? reason} /> },
              { label: "Next attempt", cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} /> },
              { label: "Payment", cell: ({ reference }) => <IdLink id={reference} /> },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

/** Its payments; nothing before the first one. */
export function Payments({ id }: { readonly id: string }) {
  const payments = useRecord(["/customer-subscriptions", id, "payments"], () =>
    got(api.GET("/customer-subscriptions/{id}/payments", { params: { path: { id }, query: { limit: 20 } } })),
  );
  if (payments.data?.data.length === 0) return null;
  return (
    <Section title="Payments">
      <Loaded of={payments}>
        {({ data }) => (
          <Rows
            label="Payments"
            items={data}
            keyOf={({ reference }) => reference}
            none="No payments yet"
            columns={[
              { label: "Reference", cell: ({ reference }) => <IdLink id={reference} /> },
              { label: "Status", cell: ({ status }) => <Status of={status} /> },
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

/** The periods that another platform has billed, beside the bills that the service would have made. */
export function ExternalPeriods({ id }: { readonly id: string }) {
  const periods = useRecord(["/customer-subscriptions", id, "shadow"], () =>
    got(api.GET("/customer-subscriptions/{id}/shadow", { params: { path: { id }, query: { limit: 20 } } })),
  );
  return (
    <Section title="Parallel run">
      <Loaded of={periods}>
        {({ data }) => (
          <Rows
            label="Parallel run"
            items={data}
            keyOf={(period) => period.id}
            none="The platform has not reported a period yet."
            columns={[
              {
                label: "Period",
                cell: ({ periodStart, periodEnd }) => (
                  <span>
                    <Time at={periodStart} day /> to <Time at={periodEnd} day />
                  </span>
                ),
              },
              { label: "Status", cell: ({ status }) => <Status of={status} /> },
              {
                label: "Billed there",
                figures: true,
                cell: ({ billedAmount, currency }) => <Money amount={billedAmount} currency={currency} />,
              },
              {
                label: "Tefo would bill",
                figures: true,
                cell: ({ shadow, currency }) => <Money amount={shadow.total} currency={currency} />,
              },
              { label: "Why they differ", cell: ({ difference }) => <Words of={difference.explanation} /> },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}
