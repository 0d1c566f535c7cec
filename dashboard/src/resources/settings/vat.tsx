import { ActionIcon, Button, Group, NumberInput, Switch } from "@mantine/core";
import { DateInput } from "../../components/date-input.tsx";
import { Fieldset, type FormOf } from "../../components/form.tsx";
import { Icon } from "../../components/icon.tsx";
import type { Values } from "./values.ts";

/** The registration for VAT, and the standard rate from each day on. */
export const Vat = ({ form }: { readonly form: FormOf<Values> }) => (
  <Fieldset
    legend="VAT"
    about="What has no rate of its own has the standard rate of the day on which it is supplied or billed, whichever is earlier."
  >
    <Switch
      label="Registered for VAT"
      {...form.getInputProps("vatRegistered", { type: "checkbox" })}
      onChange={({ currentTarget: { checked } }) => {
        form.setFieldValue("vatRegistered", checked);
        // Whoever begins to charge VAT has prices that include it.
        if (checked) form.setFieldValue("paymentsIncludeVat", true);
      }}
    />
    {form.values.vatRegistered && (
      <>
        <DateInput
          label="Registered from"
          description="Before this day the rate is 0. Left empty, from the beginning."
          {...form.getInputProps("vatRegisteredFrom")}
        />
        <Switch
          label="Payments without an invoice include VAT"
          description="Payment links, debit orders and charges of saved cards include it at the standard rate, unless they or their product say otherwise. Payments that came before the change stay as they are."
          {...form.getInputProps("paymentsIncludeVat", { type: "checkbox" })}
        />
        {form.values.vatRates.map((_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rates have no id, and their fields are controlled
          <Group key={index} align="flex-start" wrap="nowrap">
            <NumberInput
              label="Standard rate"
              suffix=" %"
              min={0}
              max={100}
              decimalScale={4}
              {...form.getInputProps(`vatRates.${index}.rate`)}
            />
            <DateInput
              label={index === 0 ? "From, and on earlier days" : "From"}
              {...form.getInputProps(`vatRates.${index}.from`)}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              mt={25}
              aria-label={`Remove rate ${index + 1}`}
              disabled={index === 0}
              onClick={() => form.removeListItem("vatRates", index)}
            >
              <Icon name="cross" size={16} />
            </ActionIcon>
          </Group>
        ))}
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => form.insertListItem("vatRates", { from: "", rate: "" })}
          style={{ alignSelf: "flex-start" }}
        >
          Add a rate
        </Button>
      </>
    )}
  </Fieldset>
);
