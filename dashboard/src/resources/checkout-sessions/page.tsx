import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { useMay } from "../../api/session.ts";
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
        name: "Checkout",
        id,
        status: session.status,
        figure: session.transaction && (
          <Money amount={session.transaction.amount} currency={session.transaction.currency} />
        ),
        payerUrl: session.checkoutUrl,
        facts: facts(session),
      })}
    />
  );
}

const facts = (session: Session) =>
  [
    ["Sold", <Sold key="sold" of={session} />],
    ["Customer", <IdLink key="customer" id={session.customerId} />],
    ["Subscription", <IdLink key="subscription" id={session.subscriptionId} />],
    ...payment(session.transaction),
    ["Coupon", <Words key="coupon" of={session.couponCode} />],
    ["Payer", <Words key="payer" of={payerOf(session.prefill)} />],
    ["Leads back to", <Words key="return" of={session.returnUrl} />],
    ["Link", session.checkoutUrl ? <CopyId key="link" id={session.checkoutUrl} label="Copy the link" /> : "–"],
    ["Made", <Time key="made" at={session.createdAt} />],
    ["Used", <Time key="used" at={session.usedAt} />],
    ["Can be used until", <Time key="until" at={session.expiresAt} />],
  ] as const;

/** What is sold by its name, of a package with the plan; by the id until it is read. */
function Sold({ of: { packageId, planId, productId } }: { readonly of: Session }) {
  const may = useMay();
  const id = packageId ?? productId ?? "";
  const path = { path: { id } };
  const found = useRecord(
    [packageId ? "/packages" : "/products", id],
    async (): Promise<{ readonly name: string; readonly plans?: readonly Shape<"Plan">[] }> =>
      packageId ? got(api.GET("/packages/{id}", { params: path })) : got(api.GET("/products/{id}", { params: path })),
    id !== "" && may(packageId ? "packages:read" : "products:read"),
  );
  const plan = found.data?.plans?.find((one) => one.id === planId);
  return <IdLink id={id}>{plan ? `${found.data?.name}, ${plan.name}` : found.data?.name}</IdLink>;
}

const payerOf = ({ firstName, lastName, company, phone }: Session["prefill"]): string =>
  [firstName, lastName, company, phone].filter(Boolean).join(", ");

const payment = (transaction: Session["transaction"]) =>
  transaction
    ? [
        ["Payment", <IdLink key="payment" id={transaction.reference} />] as const,
        ["Payment's status", <Status key="status" of={transaction.status} />] as const,
        [
          "Taken off",
          <Money key="discount" amount={transaction.discountAmount} currency={transaction.currency} />,
        ] as const,
      ]
    : [];
