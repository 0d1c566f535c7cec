import { Group, NativeSelect, type NativeSelectProps, Switch, TextInput, type TextInputProps } from "@mantine/core";
import type { ReactNode } from "react";
import { FREQUENCIES, type Frequency } from "../lib/frequency.ts";
import type { TypedPrice } from "../lib/price.ts";
import { Fieldset, type FormOf, MoneyInput } from "./form.tsx";
import { VatFields } from "./vat-fields.tsx";

/** Chooses how often something is charged; with `once`, also that it is charged once, whose value is empty. */
export const FrequencyInput = ({
  once = false,
  ...props
}: Omit<NativeSelectProps, "data"> & { readonly once?: boolean }) => (
  <NativeSelect {...props} data={[...(once ? [{ value: "", label: "Once" }] : []), ...FREQUENCIES]} />
);

/** A field for the three letters of a currency. */
export const CurrencyInput = (props: TextInputProps) => (
  <TextInput label="Currency" maxLength={3} autoComplete="off" {...props} />
);

/**
 * The price of a product or plan, how often it is billed, and its VAT. `once`: it may be billed once. `fee`: the field
 * of a further price.
 */
export const PriceFields = <Values extends TypedPrice & { readonly frequency: Frequency | "" }>({
  form,
  once = false,
  fee,
}: {
  readonly form: FormOf<Values>;
  readonly once?: boolean;
  readonly fee?: ReactNode;
}) => {
  const vat = <VatFields follows exempt={form.values.taxExempt} field={form.getInputProps} />;
  return (
    <Fieldset legend="Price">
      <Group grow align="flex-start">
        <MoneyInput label="Price" withAsterisk currency={form.values.currency} {...form.getInputProps("amount")} />
        <CurrencyInput {...form.getInputProps("currency")} />
        <FrequencyInput label="Billed" once={once} {...form.getInputProps("frequency")} />
        {!fee && vat}
      </Group>
      {fee && (
        <Group grow align="flex-start">
          {fee}
          {vat}
        </Group>
      )}
      <Switch label="The price includes VAT" {...form.getInputProps("taxInclusive", { type: "checkbox" })} />
    </Fieldset>
  );
};
