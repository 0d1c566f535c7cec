import { api, got, type Shape } from "../../api/client.ts";
import { noteReason } from "../../api/notes.ts";
import { DateInput } from "../../components/date-input.tsx";
import { MoneyInput } from "../../components/form.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { formatMoney } from "../../lib/money.ts";
import { formatDay } from "../../lib/time.ts";
import { numberOrNull, textOrNull } from "../../lib/values.ts";

type Subscription = Shape<"GatewaySubscription">;
interface Given {
  readonly subscription: Subscription;
}

const TOUCHES = ["/subscriptions", "/transactions", "/timeline", "/emails", "/audit-log"];
const keyed = (id: string, key: string) => ({ path: { id }, header: { "Idempotency-Key": key } });

/** The actions on a gateway subscription in its present state. */
export function Actions(given: Given) {
  const { status } = given.subscription;
  if (status === "cancelled") return null;
  return (
    <>
      {(status === "past_due" || status === "active") && <Retry {...given} />}
      {(status === "active" || status === "past_due") && <Pause {...given} />}
      {status === "paused" && <Resume {...given} />}
      {status !== "pending" && <Update {...given} />}
      <Cancel {...given} />
    </>
  );
}

const Pause = ({ subscription: { id, amount, currency } }: Given) => (
  <MoneyAction
    label="Pause"
    title="Pause the subscription"
    permission="subscriptions:write"
    initial={{ reason: "" }}
    reason="optional"
    what={() => `The gateway stops charging ${formatMoney(amount, currency)} until it is resumed.`}
    send={async ({ reason }, keyFor) => {
      const paused = await got(api.POST("/subscriptions/{id}/pause", { params: keyed(id, keyFor(null)) }));
      await noteReason(id, "Paused", reason);
      return paused;
    }}
    touches={TOUCHES}
    said={() => "Subscription paused"}
    button={{ variant: "default" }}
  />
);

const Resume = ({ subscription: { id, amount, currency } }: Given) => (
  <MoneyAction
    label="Resume"
    title="Resume the subscription"
    permission="subscriptions:write"
    initial={{ reason: "" }}
    reason="optional"
    what={() => `The gateway keeps charging ${formatMoney(amount, currency)}.`}
    send={async ({ reason }, keyFor) => {
      const resumed = await got(api.POST("/subscriptions/{id}/resume", { params: keyed(id, keyFor(null)) }));
      await noteReason(id, "Resumed", reason);
      return resumed;
    }}
    touches={TOUCHES}
    said={() => "Subscription resumed"}
  />
);

const Cancel = ({ subscription: { id } }: Given) => (
  <MoneyAction
    label="Cancel subscription"
    title="Cancel the subscription"
    permission="subscriptions:write"
    initial={{ reason: "" }}
    reason="required"
    danger
    what={() =>
      "The gateway stops charging the card. This cannot be undone: the customer would have to subscribe again."
    }
    send={async ({ reason }) => {
      const cancelled = await got(api.POST("/subscriptions/{id}/cancel", { params: { path: { id } } }));
      await noteReason(id, "Cancelled", reason);
      return cancelled;
    }}
    touches={TOUCHES}
    said={() => "Subscription cancelled"}
  />
);

const Retry = ({ subscription: { id, amount, currency } }: Given) => (
  <MoneyAction
    label="Collect again"
    title="Retry charge"
    permission="subscriptions:write"
    initial={{ amount: "" as number | string, reason: "" }}
    reason="optional"
    fields={(form) => (
      <MoneyInput
        label="Amount"
        description="Left empty, what was missed last."
        currency={currency}
        {...form.getInputProps("amount")}
      />
    )}
    what={({ amount: other }) =>
      `${other === "" ? `The latest missed charge, of ${formatMoney(amount, currency)} as a rule,` : formatMoney(Number(other), currency)} is taken from the card now, where the gateway can; else the customer gets an email with a link to pay it.`
    }
    send={async ({ amount: other, reason }, keyFor) => {
      const asked = numberOrNull(other);
      const body = asked === null ? {} : { amount: asked };
      const answer = await got(api.POST("/subscriptions/{id}/retry", { params: keyed(id, keyFor(body)), body }));
      await noteReason(id, "Collected again", reason);
      return answer;
    }}
    touches={TOUCHES}
    said={({ result }) =>
      result.mode === "card"
        ? `${formatMoney(result.amount, currency)} is asked of the card.`
        : result.emailed
          ? "Link emailed to the customer"
          : `The customer's link: ${result.checkoutUrl}`
    }
    button={{ variant: "default" }}
  />
);

const Update = ({ subscription: { id, amount, currency } }: Given) => (
  <MoneyAction
    label="Edit"
    title="Edit amount or date"
    permission="subscriptions:write"
    initial={{ amount: amount as number | string, nextDate: "", reason: "" }}
    check={{ amount: (value: number | string) => (Number(value) > 0 ? null : "Enter an amount") }}
    reason="optional"
    fields={(form) => (
      <>
        <MoneyInput label="Amount" currency={currency} {...form.getInputProps("amount")} />
        <DateInput label="Next charge" description="Left empty, it stays." {...form.getInputProps("nextDate")} />
      </>
    )}
    what={({ amount: next, nextDate }) =>
      `${formatMoney(Number(next), currency)} is charged from ${nextDate ? formatDay(nextDate) : "the next charge"} on. Where the gateway cannot change it, the customer gets an email to confirm the card again, and this one ends then.`
    }
    send={async ({ amount: next, nextDate, reason }, keyFor) => {
      const day = textOrNull(nextDate);
      const body = { ...(Number(next) === amount ? {} : { amount: Number(next) }), ...(day ? { nextDate: day } : {}) };
      const answer = await got(api.POST("/subscriptions/{id}/update", { params: keyed(id, keyFor(body)), body }));
      await noteReason(id, "Updated", reason);
      return answer;
    }}
    touches={TOUCHES}
    said={({ result }) =>
      result.mode === "in_place"
        ? "Subscription updated"
        : "The customer is asked to confirm the card for the new terms."
    }
    button={{ variant: "default" }}
  />
);
