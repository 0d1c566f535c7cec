import { Checkbox, NativeSelect } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { useRecord } from "../../api/records.ts";
import { MoneyInput } from "../../components/form.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { takenBackOf } from "../../lib/disputes.ts";
import { formatMoney, leftOf } from "../../lib/money.ts";
import { words } from "../../lib/words.ts";

type Transaction = Shape<"Transaction">;
type Method = "gateway" | "manual" | "elsewhere";

/** The actions on a payment in its present state. */
export function Actions({ payment }: { readonly payment: Transaction }) {
  // What a bank has taken back cannot be refunded.
  const left = leftOf(leftOf(payment.amount, payment.refundedAmount), takenBackOf(payment));
  const refundable = (payment.status === "complete" || payment.status === "partially_refunded") && left > 0;
  if (refundable) return <RefundWithin payment={payment} />;
  // A gateway that has received a charge has reported its id.
  const unfit = payment.renewal && payment.flags.includes("notification_mismatch");
  if (unfit && payment.paidAt === null && payment.status !== "complete") return <Renewal payment={payment} />;
  const unanswered = payment.type === "card_debit" && payment.status === "pending" && payment.providerRef === null;
  return unanswered ? <GiveUp payment={payment} /> : null;
}

/** A renewal that the gateway collected at another amount than the subscription's. */
function Renewal({ payment }: { readonly payment: Transaction }) {
  const { reference, currency, gateway, payerEmail } = payment;
  const money = formatMoney(payment.amount, currency);
  const params = { path: { reference } };
  const touches = ["/transactions", "/subscriptions", "/customers", "/audit-log"];
  return (
    <>
      <MoneyAction
        label="Accept"
        title={`Accept ${money}`}
        permission="refunds:write"
        initial={{ asNewAmount: false }}
        fields={(form) => (
          <Checkbox
            label="The subscription has this amount from now on"
            {...form.getInputProps("asNewAmount", { type: "checkbox" })}
          />
        )}
        what={({ asNewAmount }) =>
          `${money} is booked as collected.${asNewAmount ? ` Later renewals of ${money} are, too.` : ""}`
        }
        send={(body, keyFor) =>
          got(
            api.POST("/transactions/{reference}/accept", {
              params: { ...params, header: { "Idempotency-Key": keyFor(body) } },
              body,
            }),
          )
        }
        touches={touches}
        said={() => "Renewal accepted"}
      />
      <MoneyAction
        label="Refund"
        title={`Give back ${money}`}
        permission="refunds:write"
        initial={{ reason: "" }}
        reason="required"
        danger
        what={() =>
          `${money} is booked as collected, and ${words(gateway)} refunds it to ${payerEmail ?? "the customer"}.`
        }
        send={({ reason }, keyFor) => {
          const body = { reason: reason.trim() };
          const header = { "Idempotency-Key": keyFor(body) };
          return got(api.POST("/transactions/{reference}/give-back", { params: { ...params, header }, body }));
        }}
        touches={touches}
        said={({ status }) => (status === "complete" ? "Refund requested" : "Refunded")}
      />
    </>
  );
}

const GiveUp = ({ payment }: { readonly payment: Transaction }) => (
  <MoneyAction
    label="Mark as failed"
    title={`Give up ${payment.reference}`}
    permission="card_charges:write"
    initial={{}}
    danger
    what={() =>
      `You have looked for ${payment.reference} in the pages of ${words(payment.gateway)}, and it is not there. The charge of ${formatMoney(payment.amount, payment.currency)} fails here, and the card can be charged again.`
    }
    send={() => {
      const params = { path: { reference: payment.reference } };
      return got(api.POST("/transactions/{reference}/give-up", { params, body: { notAtGateway: true } }));
    }}
    touches={["/transactions", "/invoices", "/customers", "/audit-log"]}
    said={() => "Charge marked as failed"}
  />
);

/** The refund of a payment of which the API says that something can be refunded. */
function RefundWithin({ payment }: { readonly payment: Transaction }) {
  const params = { path: { reference: payment.reference } };
  const limits = useRecord(["/transactions", payment.reference, "refund-limits"], () =>
    got(api.GET("/transactions/{reference}/refund-limits", { params })),
  );
  if (!limits.data) return null;
  return limits.data.limit + limits.data.limitElsewhere > 0 ? <Refund payment={payment} limits={limits.data} /> : null;
}

const leftBy = ({ limit, limitElsewhere }: Shape<"RefundLimits">, method: Method): number =>
  method === "elsewhere" ? limitElsewhere : limit;

const Refund = ({ payment, limits }: { readonly payment: Transaction; readonly limits: Shape<"RefundLimits"> }) => (
  <MoneyAction
    label="Refund"
    title={`Refund ${payment.reference}`}
    permission="refunds:write"
    initial={{
      amount: limits.limit as number | string,
      method: "gateway" as Method,
      creditNote: payment.invoice !== null,
      reason: "",
    }}
    check={{
      amount: (value, { method }) => {
        const left = leftBy(limits, method);
        return Number(value) > 0 && Number(value) <= left ? null : `Up to ${formatMoney(left, payment.currency)}.`;
      },
    }}
    reason="required"
    danger
    fields={(form) => (
      <>
        <MoneyInput
          label="Amount"
          {...(limits.why !== null && form.values.method !== "elsewhere" && { description: limits.why })}
          currency={payment.currency}
          data-autofocus
          {...form.getInputProps("amount")}
        />
        <NativeSelect
          label="Refund to"
          data={[
            { value: "gateway", label: `By ${words(payment.gateway)}` },
            { value: "manual", label: "Already refunded by EFT or cash" },
            { value: "elsewhere", label: `Already, in the dashboard of ${words(payment.gateway)}` },
          ]}
          {...form.getInputProps("method")}
        />
        {payment.invoice && (
          <Checkbox
            label={`Issue a credit note for ${payment.invoice.number}`}
            description="It corrects the invoice and its VAT. Without one, the invoice's VAT stays as it is."
            {...form.getInputProps("creditNote", { type: "checkbox" })}
          />
        )}
      </>
    )}
    what={({ amount, method, creditNote }) =>
      outcome(payment, { amount: Number(amount), left: leftBy(limits, method), method, creditNote })
    }
    send={({ amount, method, creditNote, reason }, keyFor) => {
      const way = method === "elsewhere" ? { method: "gateway" as const, madeElsewhere: true } : { method };
      const body = { amount: Number(amount), reason: reason.trim(), creditNote, ...way };
      const params = { path: { reference: payment.reference }, header: { "Idempotency-Key": keyFor(body) } };
      return got(api.POST("/transactions/{reference}/refunds", { params, body }));
    }}
    touches={["/transactions", "/invoices", "/credit-notes", "/customers", "/audit-log"]}
    said={({ status, creditNote }) => {
      const refunded = status === "complete" ? "Refund requested" : "Refunded";
      return creditNote ? `${refunded}, ${creditNote.number} issued` : refunded;
    }}
  />
);

interface Order {
  readonly amount: number;
  readonly left: number;
  readonly method: Method;
  readonly creditNote: boolean;
}

function outcome({ payerEmail, currency, gateway, invoice }: Transaction, order: Order): string {
  const { amount, left, method, creditNote } = order;
  if (!(amount > 0)) return "Nothing, until an amount is given.";
  const money = formatMoney(amount, currency);
  const way =
    method === "gateway"
      ? `${words(gateway)} refunds ${money} to ${payerEmail ?? "the customer"}.`
      : `${money} is recorded as refunded; no money moves by this.`;
  const rest = leftOf(left, amount);
  if (rest < 0) return `Nothing: only ${formatMoney(left, currency)} of the payment can be refunded.`;
  const kept = rest > 0 ? `${formatMoney(rest, currency)} of the payment stays.` : "Nothing of the payment stays.";
  if (!invoice) return `${way} ${kept}`;
  const note = creditNote
    ? `A credit note of ${money} corrects ${invoice.number}, at the invoice's rates of VAT. The refund settles it, so it pays no other invoice.`
    : `${invoice.number} and its VAT stay as they are. A credit note that is issued later is settled by this refund.`;
  return `${way} ${kept} ${note}`;
}
