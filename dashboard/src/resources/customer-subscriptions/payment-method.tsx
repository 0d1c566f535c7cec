import { List, NativeSelect, Stack } from "@mantine/core";
import { api, got, type Shape } from "../../api/client.ts";
import { messageOf } from "../../api/failure.ts";
import { noteReason } from "../../api/notes.ts";
import { useRecord } from "../../api/records.ts";
import { MoneyAction } from "../../components/money-action.tsx";
import { formatMoney } from "../../lib/money.ts";
import { formatDay } from "../../lib/time.ts";
import { cardWords, TOUCHES } from "./words.ts";

type Subscription = Shape<"CustomerSubscription">;
type Preview = Shape<"PaymentMethodPreview">;

interface Given {
  readonly id: string;
  readonly subscription: Subscription;
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** `gateway:card_…`, `debit_order:man_…` or `invoice:`, as the body of the change. */
function bodyOf(choice: string) {
  const [method = "invoice", named = ""] = choice.split(":");
  return {
    collectionMethod: method as "gateway" | "debit_order" | "invoice",
    ...(method === "gateway" ? { cardId: named } : {}),
    ...(method === "debit_order" ? { mandateId: named } : {}),
  };
}

/** Collects a subscription from another card, by debit order or by mailed invoice from now on. */
export const PaymentMethod = (given: Given) => (
  <MoneyAction
    label="Change payment method"
    title="Change the payment method"
    permission="subscriptions:write"
    initial={{ choice: "", reason: "" }}
    reason="optional"
    check={{ choice: (value: string) => (value ? null : "Choose a payment method.") }}
    fields={(form) => <Methods {...given} {...form.getInputProps("choice")} />}
    what={({ choice }) => (choice ? <WhatChanges {...given} choice={choice} /> : "Nothing, until a method is chosen.")}
    send={async ({ choice, reason }, keyFor) => {
      const body = bodyOf(choice);
      const params = { path: { id: given.id }, header: { "Idempotency-Key": keyFor(body) } };
      const changed = await got(api.POST("/customer-subscriptions/{id}/payment-method", { params, body }));
      await noteReason(given.id, "Payment method changed", reason);
      return changed;
    }}
    touches={[...TOUCHES, "/mandates", "/emails"]}
    said={() => "Payment method changed"}
    button={{ variant: "default" }}
  />
);

/** The ways in which the subscription can be collected, but for the present one. */
function Methods({ subscription, ...input }: Given & Record<string, unknown>) {
  const cards = useCards(subscription);
  const mandates = useMandates(subscription);
  const options: Choice[] = [
    ...cards,
    ...mandates,
    ...(subscription.collectionMethod === "invoice" ? [] : [{ value: "invoice:", label: "Invoice, by email" }]),
  ];
  const none = options.length === 0;
  return (
    <NativeSelect
      label="Payment method"
      withAsterisk
      data-autofocus
      data={[{ value: "", label: none ? "No other method" : "Choose a method" }, ...options]}
      description={none ? "The customer has no saved card and no active mandate." : undefined}
      {...input}
    />
  );
}

function useCards({ customer, collectionMethod, card: present }: Subscription): Choice[] {
  const cards = useRecord(["/customers", customer.id, "cards"], () =>
    got(api.GET("/customers/{id}/cards", { params: { path: { id: customer.id }, query: { limit: 100 } } })),
  );
  return (cards.data?.data ?? [])
    .filter(({ id, status }) => status === "active" && !(collectionMethod === "gateway" && id === present?.id))
    .map((card) => ({ value: `gateway:${card.id}`, label: `Card: ${cardWords(card)}` }));
}

function useMandates({ id, customer, mandateId }: Subscription): Choice[] {
  const mandates = useRecord(["/mandates", customer.id, "of-customer"], () =>
    got(api.GET("/mandates", { params: { query: { customerId: customer.id, limit: 100 } } })),
  );
  return (mandates.data?.data ?? [])
    .filter(({ subscriptionId }) => subscriptionId === null || subscriptionId === id)
    .filter((one) => one.status === "active" || (one.status === "paused" && one.subscriptionId === id))
    .filter((one) => one.id !== mandateId || one.status === "paused")
    .map((one) => ({
      value: `debit_order:${one.id}`,
      label: `Debit order: ${one.accountReference}, account ending in ${one.bank.accountNumberLast4}${one.status === "paused" ? " (paused)" : ""}`,
    }));
}

/** By the server's own dry run of the change. */
function WhatChanges({ id, subscription, choice }: Given & { readonly choice: string }) {
  const preview = useRecord(["/customer-subscriptions", id, "payment-method-preview", choice], () =>
    got(
      api.GET("/customer-subscriptions/{id}/payment-method-preview", {
        params: { path: { id }, query: bodyOf(choice) },
      }),
    ),
  );
  if (preview.error) return messageOf(preview.error);
  if (!preview.data) return "One moment …";
  const said = sentences(preview.data, subscription);
  return (
    <Stack gap="xs">
      <span>{said.first}</span>
      {said.more.length > 0 && (
        <List size="sm" spacing={4}>
          {said.more.map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
      )}
    </Stack>
  );
}

function sentences(preview: Preview, { currency }: Subscription): { first: string; more: string[] } {
  const { collectionMethod, nextBillingAt, nextDebitDate, endsOwnAmount, pausedMandates } = preview;
  if (!preview.changes) return { first: "Nothing: it is collected in this way already.", more: [] };
  const next = nextBillingAt ? `The next invoice, on ${formatDay(nextBillingAt)},` : "Every later invoice";
  const first =
    collectionMethod === "gateway"
      ? `${next} is charged to this card, and all after it.`
      : collectionMethod === "debit_order"
        ? `${next} is collected by this debit order, and all after it.${nextDebitDate ? ` Its next debit is on ${formatDay(nextDebitDate)}.` : ""}`
        : `${next} is emailed${preview.mailTo ? ` to ${preview.mailTo}` : ""}, and all after it. Nothing is collected automatically.`;
  return {
    first,
    more: [
      ...preview.invoices.map((invoice) => openInvoice(invoice, preview)),
      ...pausedMandates.map(({ accountReference }) => `Mandate ${accountReference} is paused.`),
      ...(preview.resumesMandate ? ["The mandate is active again."] : []),
      ...(endsOwnAmount === null
        ? []
        : [
            `The mandate stops debiting its own ${formatMoney(endsOwnAmount, currency)}: from now on it debits what is due on each invoice. Agree that with the customer.`,
          ]),
    ],
  };
}

function openInvoice({ number, amountDue, currency, next, at }: Preview["invoices"][number], of: Preview): string {
  const what = `${number}, with ${formatMoney(amountDue, currency)} due,`;
  switch (next) {
    case "under_way":
      return `${what} is being paid already. That payment goes on; the new method is used if it fails.`;
    case "charged_now":
      return `${what} is charged to the card now.`;
    case "charged":
      return at === null
        ? `${what} is charged to the card once the debit batch is sent without it.`
        : `${what} is charged to the card on ${formatDay(at)}.`;
    case "debited":
      return of.nextDebitDate
        ? `${what} is debited on ${formatDay(of.nextDebitDate)}.`
        : `${what} is debited on the mandate's next date.`;
    case "mailed":
      return `${what} is emailed${of.mailTo ? ` to ${of.mailTo}` : ""} with a link to pay it.`;
    case "page":
      return `${what} is paid only by its customer: a bank took its payment back.`;
  }
}
