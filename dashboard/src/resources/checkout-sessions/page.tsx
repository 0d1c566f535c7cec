import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { ResourcePage } from "../../components/resource-page.tsx";
import { CopyId, IdLink, Money, Status, Time, Words } from "../../components/values.tsx";

type Session = Shape<"CheckoutSession">;

/** The page of a checkout session. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const record = useRecord(["/checkout-sessions", id], () =>
    got(api.GET("/checkout-sessions/{id}", { params: { path: { id } } })),
  );
  return (
    <ResourcePage
      resource="checkout-sessions"
      list="Checkouts"
      record={record}
      show={(session) => ({
        title: session.prefill.email ?? "Checkout",
        name: session.prefill.email ?? "Checkout",
        id,
        status: session.status,
        figure: session.transaction && (
          <Money amount={session.transaction.amount} currency={session.transaction.currency} />
        ),
        facts: facts(session),
      })}
    />
  );
}

const facts = (session: Session) =>
  [
    ["Item", <IdLink key="sold" id={session.planId ?? session.packageId ?? session.productId} />],
    ["Customer", <IdLink key="customer" id={session.customerId} />],
    ["Subscription", <IdLink key="subscription" id={session.subscriptionId} />],
    ...payment(session.transaction),
    ["Coupon", <Words key="coupon" of={session.couponCode} />],
    ["Customer", <Words key="payer" of={payerOf(session.prefill)} />],
    ["Return page", <Words key="return" of={session.returnUrl} />],
    ["Link", session.checkoutUrl ? <CopyId key="link" id={session.checkoutUrl} label="Copy the link" /> : "–"],
    ["Created", <Time key="made" at={session.createdAt} />],
    ["Used", <Time key="used" at={session.usedAt} />],
    ["Can be used until", <Time key="until" at={session.expiresAt} />],
  ] as const;

const payerOf = ({ firstName, lastName, company, phone }: Session["prefill"]): string =>
  [firstName, lastName, company, phone].filter(Boolean).join(", ");

const payment = (transaction: Session["transaction"]) =>
  transaction
    ? [
        ["Payment", <IdLink key="payment" id={transaction.reference} />] as const,
        ["Payment's status", <Status key="status" of={transaction.status} />] as const,
        [
          "Discount",
          <Money key="discount" amount={transaction.discountAmount} currency={transaction.currency} />,
        ] as const,
      ]
    : [];
