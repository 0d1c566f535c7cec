import { Checkbox, NativeSelect, NumberInput, Textarea } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { noteReason } from "../../api/notes.ts";
import { useActing } from "../../api/session.ts";
import { DateInput } from "../../components/date-input.tsx";
import { MoneyInput } from "../../components/form.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { Permitted } from "../../components/notice.tsx";
import { formatMoney } from "../../lib/money.ts";
import { pathTo } from "../../lib/paths.ts";
import { formatDay, formatTime, toDateInput } from "../../lib/time.ts";
import { textOrNull } from "../../lib/values.ts";
import { PaymentMethod } from "./payment-method.tsx";
import { cardWords, hasEnded, TOUCHES } from "./words.ts";

interface Given {
  readonly id: string;
  readonly subscription: Shape<"CustomerSubscription">;
}

const keyed = (id: string, key: string) => ({ path: { id }, header: { "Idempotency-Key": key } });

/** The actions on a subscription in its present state. One that another platform collects is not charged here. */
export function Actions(given: Given) {
  const { subscription, id } = given;
  const { status, collectedByService, cancelAtPeriodEnd, collectionMethod } = subscription;
  const ended = hasEnded(subscription);
  const unpaid = (subscription.lastInvoice?.amountDue ?? 0) > 0;
  return (
    <>
      {collectedByService && collectionMethod === "gateway" && unpaid && !ended && <Retry {...given} />}
      {collectedByService && !ended && status !== "paused" && status !== "pending" && <Pause {...given} />}
      {status === "paused" && <Resume {...given} />}
      {(ended || cancelAtPeriodEnd) && <Reactivate {...given} />}
      {collectedByService && !ended && <Credit {...given} />}
      {collectedByService && !ended && <Discount {...given} />}
      {!ended && <Cancel {...given} />}
      {collectedByService && !ended && status !== "pending" && <PaymentMethod {...given} />}
      <NextBilling {...given} />
      {!ended && status !== "pending" && (
        <Permitted to="subscriptions:write">
          <ButtonLink to={`${pathTo("customer-subscriptions", id)}/change`}>Change plan</ButtonLink>
        </Permitted>
      )}
    </>
  );
}

const Pause = ({ id, subscription }: Given) => (
  <MoneyAction
    label="Pause"
    title="Pause the subscription"
    permission="subscriptions:write"
    initial={{ reason: "" }}
    reason="optional"
    what={() =>
      `Nothing is billed until it is resumed${subscription.nextBillingAt ? `: the bill of ${formatDay(subscription.nextBillingAt)} is not made` : ""}. The customer gets an email. Invoices that are open stay open.`
    }
    send={async ({ reason }, keyFor) => {
      const paused = await got(api.POST("/customer-subscriptions/{id}/pause", { params: keyed(id, keyFor(null)) }));
      await noteReason(id, "Paused", reason);
      return paused;
    }}
    touches={TOUCHES}
    said={() => "Subscription paused"}
    button={{ variant: "default" }}
  />
);

const Resume = ({ id }: Given) => (
  <MoneyAction
    label="Resume"
    title="Resume the subscription"
    permission="subscriptions:write"
    initial={{ reason: "" }}
    reason="optional"
    what={() =>
      "Billing continues. When its paid period is over, a new one begins today and is billed immediately; else the next invoice comes when it ends. The customer gets an email."
    }
    send={async ({ reason }, keyFor) => {
      const resumed = await got(api.POST("/customer-subscriptions/{id}/resume", { params: keyed(id, keyFor(null)) }));
      await noteReason(id, "Resumed", reason);
      return resumed;
    }}
    touches={TOUCHES}
    said={({ nextBillingAt }) =>
      nextBillingAt
        ? `Subscription resumed. The next invoice is on ${formatDay(nextBillingAt)}.`
        : "Subscription resumed"
    }
  />
);

interface Cancelling {
  when: "now" | "period_end";
  sendEmail: boolean;
  reason: string;
}

function Cancel({ id, subscription }: Given) {
  const { currentPeriodEnd, collectedByService, cancelAtPeriodEnd } = subscription;
  const atEnd = { value: "period_end", label: "When its period ends" };
  const initial: Cancelling = {
    when: cancelAtPeriodEnd ? "now" : "period_end",
    sendEmail: collectedByService,
    reason: "",
  };
  return (
    <MoneyAction
      label="Cancel subscription"
      title="Cancel the subscription"
      permission="subscriptions:write"
      initial={initial}
      reason="required"
      danger
      fields={(form) => (
        <>
          <NativeSelect
            label="When"
            data={[...(cancelAtPeriodEnd ? [] : [atEnd]), { value: "now", label: "Now" }]}
            {...form.getInputProps("when")}
          />
          {collectedByService && (
            <Checkbox label="Email the customer" {...form.getInputProps("sendEmail", { type: "checkbox" })} />
          )}
        </>
      )}
      what={({ when }) =>
        when === "now"
          ? "It ends now. What was used and not billed yet is billed; nothing is refunded, and invoices that are open stay open."
          : `It runs until its period ends${currentPeriodEnd ? ` on ${formatDay(currentPeriodEnd)}` : ""}, and is not renewed. Until then this can be undone.`
      }
      send={({ when, sendEmail, reason }, keyFor) => {
        const body = { when, sendEmail, reason: reason.trim() };
        return got(api.POST("/customer-subscriptions/{id}/cancel", { params: keyed(id, keyFor(body)), body }));
      }}
      touches={TOUCHES}
      said={({ status }) => (status === "cancelled" ? "Subscription cancelled" : "It will end with its period.")}
    />
  );
}

function Reactivate({ id, subscription }: Given) {
  const ended = hasEnded(subscription);
  const choose = ended && subscription.collectedByService;
  return (
    <MoneyAction
      label={ended ? "Reactivate" : "Undo the cancellation"}
      title={ended ? "Reactivate the subscription" : "Undo the cancellation"}
      permission="subscriptions:write"
      initial={{ chargeNow: true, nextBillingAt: "", reason: "" }}
      reason="optional"
      fields={(form) =>
        choose && (
          <>
            <Checkbox label="Bill at once" {...form.getInputProps("chargeNow", { type: "checkbox" })} />
            <DateInput
              label="Next invoice"
              description="Left empty, a full period later."
              {...form.getInputProps("nextBillingAt")}
            />
          </>
        )
      }
      what={({ chargeNow, nextBillingAt }) => {
        if (!choose) return "It continues, and is renewed when its period ends.";
        if (nextBillingAt)
          return `It runs until ${formatDay(nextBillingAt)}; the days until then are ${chargeNow ? "billed now" : "free"}.`;
        return chargeNow
          ? "A new period begins today and is billed immediately, unless the paid one still runs. The customer gets an email."
          : "A period begins without a bill; the next invoice comes when it ends. The customer gets an email.";
      }}
      send={async ({ chargeNow, nextBillingAt, reason }, keyFor) => {
        const body = choose ? { chargeNow, nextBillingAt: textOrNull(nextBillingAt) } : {};
        const params = keyed(id, keyFor(body));
        const active = await got(api.POST("/customer-subscriptions/{id}/reactivate", { params, body }));
        await noteReason(id, ended ? "Reactivated" : "Cancellation undone", reason);
        return active;
      }}
      touches={TOUCHES}
      said={() => "Subscription resumed"}
      button={{ variant: ended ? "filled" : "default" }}
    />
  );
}

const WHY = (form: { getInputProps(name: "description"): object }) => (
  <Textarea
    label="Reason"
    description="Stands on the invoice that it lowers."
    withAsterisk
    autosize
    minRows={2}
    maxLength={500}
    {...form.getInputProps("description")}
  />
);

const WITHOUT_WHY = (value: string) => (value.trim() ? null : "Say why: the customer reads it on the invoice.");

const Credit = ({ id, subscription: { currency } }: Given) => (
  <MoneyAction
    label="Add credit"
    title="Add credit"
    permission="subscriptions:write"
    initial={{ amount: "" as number | string, description: "" }}
    check={{
      amount: (value: number | string) => (Number(value) > 0 ? null : "Enter an amount"),
      description: WITHOUT_WHY,
    }}
    fields={(form) => (
      <>
        <MoneyInput label="Amount" withAsterisk currency={currency} data-autofocus {...form.getInputProps("amount")} />
        {WHY(form)}
      </>
    )}
    what={({ amount }) =>
      Number(amount) > 0
        ? `The next bills are ${formatMoney(Number(amount), currency)} lower together, in the price's own terms. Nothing is paid out.`
        : "Nothing, until an amount is given."
    }
    send={({ amount, description }, keyFor) => {
      const body = { amount: Number(amount), description: description.trim() };
      return got(api.POST("/customer-subscriptions/{id}/credit", { params: keyed(id, keyFor(body)), body }));
    }}
    touches={TOUCHES}
    said={({ credit }) => `Credit of ${formatMoney(credit, currency)} is used on the next invoices.`}
    button={{ variant: "default" }}
  />
);

const Discount = ({ id, subscription }: Given) => (
  <MoneyAction
    label="Add discount"
    title="Add discount"
    permission="subscriptions:write"
    initial={{ percent: "" as number | string, description: "" }}
    check={{
      percent: (value: number | string) => (Number(value) > 0 ? null : "Say how much."),
      description: WITHOUT_WHY,
    }}
    fields={(form) => (
      <>
        <NumberInput
          label="Percent"
          withAsterisk
          suffix=" %"
          min={0}
          max={100}
          decimalScale={4}
          hideControls
          data-autofocus
          {...form.getInputProps("percent")}
        />
        {WHY(form)}
      </>
    )}
    what={({ percent }) =>
      Number(percent) > 0
        ? `The next invoice of a period${subscription.nextBillingAt ? `, on ${formatDay(subscription.nextBillingAt)},` : ""} is ${percent} % lower, once.`
        : "Nothing, until a percentage is given."
    }
    send={({ percent, description }, keyFor) => {
      const body = { percent: Number(percent), description: description.trim() };
      return got(api.POST("/customer-subscriptions/{id}/discount", { params: keyed(id, keyFor(body)), body }));
    }}
    touches={TOUCHES}
    said={() => "Discount added to the next invoice"}
    button={{ variant: "default" }}
  />
);

function Retry({ id, subscription: { lastInvoice, card, currency } }: Given) {
  return (
    <MoneyAction
      label="Charge again"
      title="Charge the card again"
      permission="subscriptions:write"
      initial={{ reason: "" }}
      reason="optional"
      what={() =>
        `${card ? `The ${cardWords(card)}` : "The customer's default card"} is charged now for the oldest unpaid invoice; ${formatMoney(lastInvoice?.amountDue ?? 0, currency)} is open on the newest. A charge that is refused changes nothing about the retries that follow by themselves.`
      }
      send={async ({ reason }, keyFor) => {
        const tried = await got(api.POST("/customer-subscriptions/{id}/retry", { params: keyed(id, keyFor(null)) }));
        await noteReason(id, "Charged again", reason);
        return tried;
      }}
      touches={TOUCHES}
      said={({ status }) => (status === "past_due" ? "Card not charged yet. See the payment attempts" : "Card charged")}
    />
  );
}

/** In a sandbox: moves its clock to the next invoice, to show the effect of a renewal. */
function NextBilling({ subscription: { nextBillingAt } }: Given) {
  const { membership } = useActing();
  if (!membership.sandbox || nextBillingAt === null) return null;
  const until = /T/.test(nextBillingAt) ? nextBillingAt : `${toDateInput(nextBillingAt)}T12:00:00+02:00`;
  return (
    <MoneyAction
      label="Go to the next invoice"
      title="Move the sandbox clock to the next invoice"
      permission="test_clock:write"
      initial={{}}
      what={() =>
        `The sandbox clock of the whole organisation moves to ${formatTime(until)}, and everything that falls due until then is done: bills, mails, charges. It cannot be moved back, only let go.`
      }
      send={() => got(api.POST("/test-clock", { body: { now: until } }))}
      touches={[...TOUCHES, "/test-clock", "/emails", "/events"]}
      said={({ now }) => `The clock stands at ${formatTime(now)}.`}
      button={{ variant: "default" }}
    />
  );
}
