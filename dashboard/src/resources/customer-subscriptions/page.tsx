import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecordName } from "../../api/names.ts";
import { useRecord } from "../../api/records.ts";
import { Permitted } from "../../components/notice.tsx";
import { ResourcePage } from "../../components/resource-page.tsx";
import { IdLink, Money, RecordName, Time, Words } from "../../components/values.tsx";
import { per } from "../../lib/frequency.ts";
import { Actions } from "./actions.tsx";
import { Items } from "./items.tsx";
import { Attempts, ExternalPeriods, Invoices, NextBill, Payments, PendingChange } from "./sections.tsx";
import { COLLECTIONS, cardWords } from "./words.ts";

type Subscription = Shape<"CustomerSubscription">;

/** The page of a customer subscription. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const record = useRecord(["/customer-subscriptions", id], () =>
    got(api.GET("/customer-subscriptions/{id}", { params: { path: { id } } })),
  );
  const name = useRecordName(id).data?.name;
  return (
    <ResourcePage
      resource="customer-subscriptions"
      list="Subscriptions"
      record={record}
      show={(subscription) => ({
        title: (
          <>
            {subscription.plan.name} for <RecordName id={subscription.customer.id} />
          </>
        ),
        name: name ?? subscription.plan.name,
        id,
        status: subscription.status,
        figure: (
          <>
            <Money amount={subscription.amount} currency={subscription.currency} /> {per(subscription.billingPeriod)}
          </>
        ),
        facts: facts(subscription),
        actions: <Actions id={id} subscription={subscription} />,
        sections: <Sections id={id} of={subscription} />,
      })}
    />
  );
}

const Sections = ({ id, of }: { readonly id: string; readonly of: Subscription }) => (
  <>
    {of.pendingChange && <PendingChange id={id} of={of.pendingChange} currency={of.currency} />}
    <Items id={id} subscription={of} />
    {of.collectedByService ? (
      <>
        <NextBill id={id} subscription={of} />
        <Permitted to="invoices:read">
          <Invoices id={id} />
        </Permitted>
        <Attempts id={id} />
        <Permitted to="transactions:read">
          <Payments id={id} />
        </Permitted>
      </>
    ) : (
      <ExternalPeriods id={id} />
    )}
  </>
);

const facts = (subscription: Subscription) => {
  const { customer, plan, card, lastInvoice, coupon, currency } = subscription;
  return [
    ["Customer", <IdLink key="customer" id={customer.id} />],
    [
      "Package",
      <IdLink key="package" id={plan.packageId}>
        {plan.packageName}
      </IdLink>,
    ],
    ["Payment method", COLLECTIONS[subscription.collectionMethod]],
    ...collectionFacts(subscription),
    ["Quantity", String(subscription.quantity)],
    ["Next invoice", <Time key="next" at={subscription.nextBillingAt} day />],
    ["Period begins", <Time key="from" at={subscription.currentPeriodStart} day />],
    ["Period ends", <Time key="to" at={subscription.currentPeriodEnd} day />],
    ["Started", <Time key="start" at={subscription.startDate} day />],
    ["Invoices so far", String(subscription.cyclesBilled)],
    ...(subscription.trialEnd ? [["Trial ends", <Time key="trial" at={subscription.trialEnd} day />] as const] : []),
    ...(subscription.credit > 0
      ? [["Credit", <Money key="credit" amount={subscription.credit} currency={currency} />] as const]
      : []),
    ...subscription.discounts.map(
      ({ percent, description }) =>
        [`Discount of ${percent} % on the next invoice`, <Words key="discount" of={description} />] as const,
    ),
    ...(coupon
      ? [
          [
            "Coupon",
            <IdLink key="coupon" id={coupon.id}>
              {coupon.code}
            </IdLink>,
          ] as const,
        ]
      : []),
    ...(card ? [["Card", cardWords(card)] as const] : []),
    ...(lastInvoice
      ? [
          [
            "Latest invoice",
            <IdLink key="last" id={lastInvoice.id}>
              {lastInvoice.number}
            </IdLink>,
          ] as const,
        ]
      : []),
    ...endFacts(subscription),
    ["Your reference", <Words key="reference" of={subscription.externalReference} />],
    ["Created", <Time key="made" at={subscription.createdAt} />],
  ] as const;
};

const collectionFacts = ({ mandateId, billedBy }: Subscription) => [
  ...(mandateId ? [["Mandate", <IdLink key="mandate" id={mandateId} />] as const] : []),
  ...(billedBy ? [["Billed by", <Words key="by" of={billedBy} />] as const] : []),
];

const endFacts = (subscription: Subscription) => [
  ...(subscription.cancelAtPeriodEnd ? [["Ends", "when its period is over"] as const] : []),
  ...(subscription.pausedAt ? [["Paused", <Time key="paused" at={subscription.pausedAt} />] as const] : []),
  ...(subscription.cancelledAt ? [["Cancelled", <Time key="cancelled" at={subscription.cancelledAt} />] as const] : []),
  ...(subscription.cancelReason
    ? [["Reason of the cancellation", <Words key="reason" of={subscription.cancelReason} />] as const]
    : []),
];
