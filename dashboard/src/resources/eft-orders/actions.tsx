import { api, got, type Shape } from "../../api/client.ts";
import { noteReason } from "../../api/notes.ts";
import { MoneyAction } from "../../components/money-action.tsx";
import { formatMoney } from "../../lib/money.ts";
import { ProofUpload } from "./proof-upload.tsx";

type Order = Shape<"EftOrder">;

/** Lists that change with a bank transfer. */
const TOUCHES = ["/eft-orders", "/transactions", "/invoices", "/customers", "/emails", "/timeline"];

const pathOf = ({ id }: Order) => ({ path: { id } });

/** The actions on a bank transfer in its present state. */
export function Actions({ order }: { readonly order: Order }) {
  const open = ["awaiting_payment", "awaiting_review", "rejected"].includes(order.status);
  if (!open) return null;
  return (
    <>
      <Approve order={order} />
      {order.status === "awaiting_review" && <Reject order={order} />}
      <ProofUpload order={order} touches={TOUCHES} />
      <Cancel order={order} />
    </>
  );
}

const Approve = ({ order }: { readonly order: Order }) => (
  <MoneyAction
    label="Approve"
    title={`Approve ${order.reference}`}
    permission="eft_orders:write"
    initial={{ reason: "" }}
    reason="optional"
    what={() =>
      `${order.reference} counts as paid: ${formatMoney(order.amount, order.currency)} has arrived in ${order.bankDetails.accountNumber} at ${order.bankDetails.bankName} with the reference ${order.paymentReference}. Approve it only once you see the money on your bank statement; a proof of payment is no money.`
    }
    send={async ({ reason }) => {
      const approved = await got(api.POST("/eft-orders/{id}/approve", { params: pathOf(order) }));
      await noteReason(order.id, "Approved", reason);
      return approved;
    }}
    touches={TOUCHES}
    said={({ reference, status }) => (status === "paid" ? `${reference} paid` : `${reference} approved`)}
    button={{ variant: order.status === "awaiting_review" ? "filled" : "default" }}
  />
);

const Reject = ({ order }: { readonly order: Order }) => (
  <MoneyAction
    label="Reject"
    title={`Reject the proof of ${order.reference}`}
    permission="eft_orders:write"
    initial={{ reason: "" }}
    reason="required"
    danger
    what={({ reason }) =>
      `The customer is told “${reason.trim() || "your reason"}” and may send another proof. ${order.reference} stays unpaid.`
    }
    send={({ reason }) =>
      got(api.POST("/eft-orders/{id}/reject", { params: pathOf(order), body: { reason: reason.trim() } }))
    }
    touches={TOUCHES}
    said={({ reference }) => `Proof of ${reference} rejected`}
  />
);

const Cancel = ({ order }: { readonly order: Order }) => (
  <MoneyAction
    label="Cancel"
    title={`Cancel ${order.reference}`}
    permission="eft_orders:write"
    initial={{ reason: "" }}
    reason="required"
    danger
    what={() => `${order.reference} can no longer be paid, and its payment is cancelled. This cannot be undone.`}
    send={async ({ reason }, keyFor) => {
      const params = { ...pathOf(order), header: { "Idempotency-Key": keyFor(null) } };
      const cancelled = await got(api.POST("/eft-orders/{id}/cancel", { params }));
      await noteReason(order.id, "Cancelled", reason);
      return cancelled;
    }}
    touches={TOUCHES}
    said={({ reference }) => `${reference} cancelled`}
  />
);
