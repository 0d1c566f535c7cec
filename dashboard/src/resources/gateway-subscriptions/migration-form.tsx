import { ActionIcon, Alert, Button, Group, NativeSelect, TextInput } from "@mantine/core";
import { api, got } from "../../api/client.ts";
import { DateInput } from "../../components/date-input.tsx";
import { Fieldset, type FormOf, MoneyInput, ResourceForm } from "../../components/form.tsx";
import { Frame } from "../../components/frame.tsx";
import { Icon } from "../../components/icon.tsx";
import { FrequencyInput } from "../../components/price-fields.tsx";
import type { Frequency } from "../../lib/frequency.ts";
import { counted } from "../../lib/words.ts";

interface Row {
  payerName: string;
  email: string;
  amount: number | string;
  frequency: Frequency;
  nextDate: string;
  legacyReference: string;
}

interface Values {
  /** Named as in the body, so that the API's faults appear beside the fields. */
  subscriptions: Row[];
  cancelLegacy: "auto" | "manual";
}

const NEW_ROW: Row = { payerName: "", email: "", amount: "", frequency: "monthly", nextDate: "", legacyReference: "" };
const ROWS_MAX = 200;
const LIST = "/subscriptions/migrations";

const said = (what: string) => (value: string) => (value.trim() ? null : what);

/** The form that starts to move card subscriptions here from another service (interface 4.7). */
export const Page = () => (
  <Frame title="Start migration" back={{ label: "Migrations", to: LIST }}>
    <ResourceForm
      initial={{ subscriptions: [NEW_ROW], cancelLegacy: "auto" } as Values}
      check={{
        subscriptions: {
          payerName: said("Say who pays."),
          email: said("Enter the email address for the link"),
          amount: (value: number | string) => (Number(value) > 0 ? null : "Say how much is charged."),
          nextDate: said("Enter the date of the first charge here"),
          legacyReference: said("Enter the reference of the old debit order"),
        },
      }}
      fields={(form) => <Fields form={form} />}
      label="Begin"
      send={({ subscriptions, cancelLegacy }, keyFor) => {
        const body = {
          subscriptions: subscriptions.map((row) => ({ ...row, amount: Number(row.amount) })),
          cancelLegacy,
        };
        return got(
          api.POST("/subscriptions/migrations", { body, params: { header: { "Idempotency-Key": keyFor(body) } } }),
        );
      }}
      touches={["/subscriptions", "/customer-subscriptions", "/customers", "/packages", "/plans", "/emails"]}
      said="Links emailed"
      to={() => LIST}
      back={LIST}
    />
  </Frame>
);

const Fields = ({ form }: { readonly form: FormOf<Values> }) => {
  const { subscriptions, cancelLegacy } = form.values;
  return (
    <>
      {subscriptions.map((_row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id, and their fields are controlled
        <RowFields key={index} form={form} index={index} />
      ))}
      <Button
        variant="default"
        size="xs"
        leftSection={<Icon name="plus" size={14} />}
        disabled={subscriptions.length >= ROWS_MAX}
        onClick={() => form.insertListItem("subscriptions", NEW_ROW)}
        style={{ alignSelf: "flex-start" }}
      >
        Add a subscription
      </Button>
      <NativeSelect
        label="Who cancels the old debit order"
        data={[
          { value: "auto", label: "The gateway is asked to, once the card is confirmed" },
          { value: "manual", label: "You, by hand" },
        ]}
        {...form.getInputProps("cancelLegacy")}
      />
      <Alert color="gray" title="What will happen" aria-live="polite">
        {counted(subscriptions.length, "customer")} {subscriptions.length === 1 ? "gets" : "get"} an email with a page
        to confirm the card; it charges R 1.00, which is credited. Nothing else is charged before the first day given
        here. Each has a customer subscription, with your plan of exactly that amount or one that is made.{" "}
        {cancelLegacy === "auto"
          ? "Once a card is confirmed, the gateway is asked to cancel the old debit order."
          : "Once a card is confirmed, cancel the old debit order yourself, or the customer is charged twice."}
      </Alert>
    </>
  );
};

const RowFields = ({ form, index }: { readonly form: FormOf<Values>; readonly index: number }) => {
  const field = (name: keyof Row) => form.getInputProps(`subscriptions.${index}.${name}`);
  return (
    <Fieldset legend={`Subscription ${index + 1}`}>
      <Group grow align="flex-start">
        <TextInput label="Customer" dir="auto" autoComplete="off" {...field("payerName")} />
        <TextInput label="Email address" type="email" autoComplete="off" {...field("email")} />
      </Group>
      <div className="tefo-line">
        <TextInput label="Reference elsewhere" autoComplete="off" {...field("legacyReference")} />
        <MoneyInput label="Amount" {...field("amount")} />
        <FrequencyInput label="Frequency" style={{ flexBasis: "10rem" }} {...field("frequency")} />
        <DateInput label="First charge" {...field("nextDate")} />
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          mt={25}
          aria-label={`Remove subscription ${index + 1}`}
          disabled={form.values.subscriptions.length === 1}
          onClick={() => form.removeListItem("subscriptions", index)}
        >
          <Icon name="cross" size={16} />
        </ActionIcon>
      </div>
    </Fieldset>
  );
};
