import { NativeSelect, NumberInput, Switch } from "@mantine/core";
import { DateInput } from "../../components/date-input.tsx";
import { FieldRows } from "../../components/field-rows.tsx";
import { Fieldset, type FormOf } from "../../components/form.tsx";
import type { Values } from "./values.ts";

const CATEGORIES = [
  { value: "", label: "Not said" },
  { value: "A", label: "A: two months, the last an odd one (January, March, …)" },
  { value: "B", label: "B: two months, the last an even one (February, April, …)" },
  { value: "C", label: "C: one month" },
];

const NEW_RATE: Values["vatRates"][number] = { from: "", rate: "" };

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
        <NativeSelect
          label="VAT category"
          description="The tax periods that SARS has given you. Home then says when a return is due."
          data={CATEGORIES}
          {...form.getInputProps("vatCategory")}
        />
        <Switch
          label="Payments without an invoice include VAT"
          description="Payment links, debit orders and charges of saved cards include it at the standard rate, unless they or their product say otherwise. Payments that came before the change stay as they are."
          {...form.getInputProps("paymentsIncludeVat", { type: "checkbox" })}
        />
        <FieldRows form={form} name="vatRates" noun="rate" fresh={NEW_RATE} keepsFirst>
          {(_rate: Values["vatRates"][number], field, index) => (
            <>
              <NumberInput label="Standard rate" suffix=" %" min={0} max={100} decimalScale={4} {...field("rate")} />
              <DateInput label={index === 0 ? "From, and before it" : "From"} {...field("from")} />
            </>
          )}
        </FieldRows>
      </>
    )}
  </Fieldset>
);
