import type { ReactNode } from "react";
import { type Item, type ListPath, useList } from "../../api/lists.ts";
import { TextLink } from "../../components/link.tsx";
import { Permitted } from "../../components/notice.tsx";
import { Rows, Section } from "../../components/resource-page.tsx";
import { IdLink, Money, Status, Time, Words } from "../../components/values.tsx";
import { paymentStatus } from "../../lib/disputes.ts";
import { oftenInWords } from "../../lib/frequency.ts";
import { pathTo } from "../../lib/paths.ts";
import { reasonOf } from "../../lib/unpaid.ts";

const SHOWN = 5;

interface Of {
  readonly customer: string;
}

/** Further records of a customer; kinds without records are left out. */
export const Related = (of: Of) => (
  <>
    <Permitted to="transactions:read">
      <Payments {...of} />
    </Permitted>
    <Permitted to="subscriptions:read">
      <Subscriptions {...of} />
    </Permitted>
    <Permitted to="mandates:read">
      <UnpaidDebits {...of} />
      <Mandates {...of} />
    </Permitted>
    <Permitted to="quotes:read">
      <Quotes {...of} />
    </Permitted>
    <Permitted to="eft_orders:read">
      <BankTransfers {...of} />
    </Permitted>
  </>
);

const Payments = ({ customer }: Of) => (
  <Kind
    title="Payments"
    path="/transactions"
    customer={customer}
    keyOf={({ reference }) => reference}
    columns={[
      { label: "Reference", cell: ({ reference }) => <IdLink id={reference} /> },
      { label: "Status", cell: (payment) => <Status of={paymentStatus(payment)} /> },
      { label: "Date", cell: ({ paidAt, createdAt }) => <Time at={paidAt ?? createdAt} /> },
      amountOf(),
    ]}
  />
);

const Subscriptions = ({ customer }: Of) => (
  <Kind
    title="Subscriptions"
    path="/customer-subscriptions"
    customer={customer}
    keyOf={({ id }) => String(id)}
    columns={[
      { label: "Plan", cell: ({ id, plan }) => <IdLink id={id}>{plan.name}</IdLink> },
      { label: "Status", cell: ({ status }) => <Status of={status} /> },
      { label: "Next invoice", cell: ({ nextBillingAt }) => <Time at={nextBillingAt} day /> },
      amountOf(),
    ]}
  />
);

/** What the customer owes for debits that no invoice carries, and those of invoices that are open again. */
const UnpaidDebits = ({ customer }: Of) => (
  <Kind
    title="Unpaid debits"
    path="/unpaid-debits"
    customer={customer}
    keyOf={({ reference }) => reference}
    columns={[
      { label: "Payment", cell: ({ reference }) => <IdLink id={reference} /> },
      { label: "Date", cell: ({ actionDate }) => <Time at={actionDate} /> },
      {
        label: "Bank's reason",
        cell: ({ reason, code }) => <Words of={reasonOf({ unpaidReason: reason, unpaidCode: code })} />,
      },
      {
        label: "Still owed",
        cell: ({ settled, paymentLinkId }) =>
          settled ? (
            "No"
          ) : paymentLinkId ? (
            <TextLink to={pathTo("payment-links", paymentLinkId)}>Yes: pay link</TextLink>
          ) : (
            "Yes"
          ),
      },
      amountOf(),
    ]}
  />
);

const Mandates = ({ customer }: Of) => (
  <Kind
    title="Mandates"
    path="/mandates"
    customer={customer}
    keyOf={({ id }) => id}
    columns={[
      {
        label: "Reference",
        cell: ({ id, accountReference }) => <TextLink to={pathTo("mandates", id)}>{accountReference}</TextLink>,
      },
      { label: "Status", cell: ({ stage }) => <Status of={stage} /> },
      { label: "Frequency", cell: ({ frequency }) => oftenInWords({ frequency }) },
      amountOf(),
    ]}
  />
);

const Quotes = ({ customer }: Of) => (
  <Kind
    title="Quotes"
    path="/quotes"
    customer={customer}
    keyOf={({ id }) => id}
    columns={[
      { label: "Number", cell: ({ id, number }) => <TextLink to={pathTo("quotes", id)}>{number}</TextLink> },
      { label: "Status", cell: ({ status }) => <Status of={status} /> },
      { label: "Valid until", cell: ({ expiryDate }) => <Time at={expiryDate} day /> },
      {
        label: "Total",
        figures: true,
        cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
      },
    ]}
  />
);

const BankTransfers = ({ customer }: Of) => (
  <Kind
    title="EFT payments"
    path="/eft-orders"
    customer={customer}
    keyOf={({ id }) => id}
    columns={[
      {
        label: "Reference",
        cell: ({ id, reference }) => <TextLink to={pathTo("eft-orders", id)}>{reference}</TextLink>,
      },
      { label: "Status", cell: ({ status }) => <Status of={status} /> },
      { label: "Created", cell: ({ createdAt }) => <Time at={createdAt} day /> },
      amountOf(),
    ]}
  />
);

const amountOf = () => ({
  label: "Amount",
  figures: true,
  cell: ({ amount, currency }: { readonly amount: number; readonly currency: string }) => (
    <Money amount={amount} currency={currency} />
  ),
});

function Kind<P extends ListPath>({
  title,
  path,
  customer,
  keyOf,
  columns,
}: {
  readonly title: string;
  readonly path: P;
  readonly customer: string;
  keyOf(item: Item<P>): string;
  readonly columns: readonly { readonly label: string; readonly figures?: boolean; cell(item: Item<P>): ReactNode }[];
}) {
  const list = useList(path, { customerId: customer, limit: String(SHOWN) });
  const items = list.data?.data ?? [];
  if (items.length === 0) return null;
  return (
    <Section
      title={title}
      actions={
        list.data?.hasMore && (
          <TextLink to={path} search={{ customerId: customer }} size="sm">
            All of this customer
          </TextLink>
        )
      }
    >
      <Rows label={title} items={items} keyOf={keyOf} none="" columns={columns} />
    </Section>
  );
}
