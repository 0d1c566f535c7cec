import { Checkbox, Radio, Stack, Text, Textarea } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { api, got, type Shape } from "../../api/client.ts";
import { noteReason } from "../../api/notes.ts";
import { type KeyFor, useRecord } from "../../api/records.ts";
import { BillLines, totalsOf } from "../../components/bill-lines.tsx";
import { type AddOpened, editing, type FormOf, ResourceForm, WholeInput } from "../../components/form.tsx";
import { Frame, Loaded } from "../../components/frame.tsx";
import { SoldInput } from "../../components/sold-input.tsx";
import { Money, Time, Words } from "../../components/values.tsx";
import { per } from "../../lib/frequency.ts";
import { pathTo } from "../../lib/paths.ts";
import { withDays } from "../../lib/time.ts";
import {
  INCOMPLETE_ITEMS,
  ITEM_RULES,
  ItemFields,
  type ItemValues,
  isComplete,
  itemOf,
  typedItem,
} from "./item-fields.tsx";
import { Planned, usePlan } from "./planned.tsx";
import { TOUCHES } from "./words.ts";

type Subscription = Shape<"CustomerSubscription">;
type Preview = Shape<"SubscriptionChangePreview">;
interface Values {
  planId: string;
  quantity: number | string;
  items: ItemValues[];
  proration: Preview["proration"];
  invoiceNow: boolean;
  reason: string;
}

const CHECK = { planId: (value: string) => (value ? null : "Choose a plan."), items: ITEM_RULES };

/** Existing items are sent with their codes, by which the API identifies them. Unchanged fields are left out. */
function bodyOf(subscription: Subscription, { planId, quantity, items, proration, invoiceNow }: Values) {
  const asked = items.map(itemOf);
  const changed = JSON.stringify(asked) !== JSON.stringify(valuesOf(subscription).items.map(itemOf));
  return {
    ...(planId === subscription.plan.id ? {} : { planId }),
    quantity: Number(quantity) || 1,
    ...(changed ? { items: asked } : {}),
    proration,
    invoiceNow,
  };
}

const valuesOf = (subscription: Subscription): Values => ({
  planId: subscription.plan.id,
  quantity: subscription.quantity,
  items: subscription.items.map(typedItem),
  proration: "now",
  invoiceNow: true,
  reason: "",
});

/** The form that changes plan, quantity and add-ons of a subscription, and shows the cost before it is done. */
export function Page() {
  const { id } = useParams({ strict: false }) as { id: string };
  const record = useRecord(["/customer-subscriptions", id], () =>
    got(api.GET("/customer-subscriptions/{id}", { params: { path: { id } } })),
  );
  return (
    <Frame title="Change plan" back={{ label: "Subscription", to: pathTo("customer-subscriptions", id) }}>
      <Loaded of={record}>{(subscription) => <Change id={id} subscription={subscription} />}</Loaded>
    </Frame>
  );
}

const Change = ({ id, subscription }: { readonly id: string; readonly subscription: Subscription }) => (
  <ResourceForm
    initial={valuesOf(subscription)}
    edits={editing(subscription, valuesOf)}
    check={CHECK}
    fields={(form) => <Fields id={id} subscription={subscription} form={form} />}
    label="Change plan"
    send={async (values: Values, keyFor: KeyFor, edit: AddOpened) => {
      const body = edit(bodyOf(subscription, values));
      const params = { path: { id }, header: { "Idempotency-Key": keyFor(body) } };
      const changed = await got(api.POST("/customer-subscriptions/{id}/change-plan", { params, body }));
      await noteReason(id, "Updated", values.reason);
      return changed;
    }}
    touches={[...TOUCHES, "/emails"]}
    said="Subscription updated"
    to={() => pathTo("customer-subscriptions", id)}
    back={pathTo("customer-subscriptions", id)}
  />
);

const Fields = ({
  id,
  subscription,
  form,
}: {
  readonly id: string;
  readonly subscription: Subscription;
  readonly form: FormOf<Values>;
}) => (
  <>
    <SoldInput label="Plan" path="/plans" withAsterisk {...form.getInputProps("planId")} />
    <WholeInput label="Quantity" max={1_000_000} maw={160} {...form.getInputProps("quantity")} />
    <ItemFields
      form={form}
      currency={subscription.currency}
      {...(subscription.collectedByService ? {} : { kinds: ["addon"] as const })}
    />
    <Radio.Group label="When" {...form.getInputProps("proration")}>
      <Stack gap="xs" mt="xs">
        <Radio value="now" label="Now, prorated" />
        <Radio value="none" label="Now, new price from the next invoice" />
        <Radio value="next_renewal" label="At renewal" />
      </Stack>
    </Radio.Group>
    {form.values.proration === "now" && subscription.collectedByService && (
      <Checkbox
        label="Bill the difference now, not on the next invoice"
        {...form.getInputProps("invoiceNow", { type: "checkbox" })}
      />
    )}
    <Textarea
      label="Reason"
      description="Kept as a note on the subscription."
      autosize
      minRows={2}
      maxLength={500}
      {...form.getInputProps("reason")}
    />
    <Outcome id={id} subscription={subscription} values={form.values} />
  </>
);

/** The effect of the change, from the API's preview. */
function Outcome(props: { readonly id: string; readonly subscription: Subscription; readonly values: Values }) {
  const { id, subscription, values } = props;
  const chosen = values.planId !== "";
  const complete = chosen && values.items.every(isComplete);
  const plan = usePlan(`change of ${id}`, complete ? bodyOf(subscription, values) : null, (body) =>
    got(api.POST("/customer-subscriptions/{id}/preview-change", { params: { path: { id } }, body })),
  );
  return (
    <Planned of={plan} missing={`${chosen ? INCOMPLETE_ITEMS : "Choose a plan"}, and see what the change costs.`}>
      {(preview) => <Previewed of={preview} />}
    </Planned>
  );
}

const Previewed = ({ of }: { readonly of: Preview }) => {
  const { currency, current, next, note, effectiveAt, prorationInvoice: due, nextInvoice } = of;
  return (
    <Stack gap="xs">
      <Text size="sm">
        From <Time at={effectiveAt} day /> it is {next.quantity} × <Words of={next.planName} /> for{" "}
        <Money amount={next.amount} currency={currency} /> {per(next.frequency)}, in place of {current.quantity} ×{" "}
        <Words of={current.planName} /> for <Money amount={current.amount} currency={currency} />{" "}
        {per(current.frequency)}.
      </Text>
      {note && (
        <Text size="sm" fw={600}>
          {withDays(note)}
        </Text>
      )}
      <Settled of={due} currency={currency} />
      {nextInvoice && (
        <>
          <Text size="sm">
            The next invoice, on <Time at={nextInvoice.date} day />:
          </Text>
          <BillLines
            label="The next invoice"
            lines={nextInvoice.lines}
            currency={currency}
            foot={totalsOf(nextInvoice, currency)}
          />
        </>
      )}
    </Stack>
  );
};

/** The cost for the rest of the period. */
const Settled = ({ of: due, currency }: { readonly of: Preview["prorationInvoice"]; readonly currency: string }) =>
  due === null ? (
    <Text size="sm">Nothing is to pay for the change itself.</Text>
  ) : (
    <>
      <Text size="sm" fw={600}>
        {due.dueNow > 0 ? (
          <>
            To pay now: <Money amount={due.dueNow} currency={currency} />
          </>
        ) : (
          "Nothing is to pay now."
        )}
        {due.creditToNextRenewal > 0 && (
          <>
            {" "}
            Credit for the next invoice: <Money amount={due.creditToNextRenewal} currency={currency} />
          </>
        )}
      </Text>
      <BillLines label="For the change" lines={due.lines} currency={currency} foot={totalsOf(due, currency)} />
    </>
  );
