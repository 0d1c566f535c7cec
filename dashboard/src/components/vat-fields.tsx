import { Checkbox, NativeSelect, type NativeSelectProps, NumberInput } from "@mantine/core";
import type { GetInputPropsOptions, GetInputPropsReturnType } from "@mantine/form";
import { useSettings } from "../api/settings.ts";
import type { TypedVat } from "../lib/vat.ts";

/**
 * The VAT rate of a price and whether it is exempt, which sets the rate to 0. `field` gives the props of each.
 * `follows`: left empty, it is the standard rate.
 */
export const VatFields = ({
  exempt,
  follows = false,
  field,
}: {
  readonly exempt: boolean;
  readonly follows?: boolean;
  field(name: "taxRate" | "taxExempt", options?: GetInputPropsOptions): GetInputPropsReturnType;
}) => (
  <div>
    <NumberInput
      label="VAT"
      suffix=" %"
      min={0}
      max={100}
      decimalScale={2}
      hideControls
      {...(follows && { description: "Left empty, the standard rate of each day." })}
      {...field("taxRate")}
      {...(exempt && { value: 0, disabled: true })}
    />
    <Checkbox label="Exempt from VAT" size="xs" mt={6} {...field("taxExempt", { type: "checkbox" })} />
  </div>
);

const EXEMPT = "exempt";

/**
 * The VAT that an amount includes where no invoice states it: as the settings say, the standard rate, zero-rated or
 * exempt. Nothing while the organisation may charge none.
 */
export function IncludedVatSelect(props: Omit<NativeSelectProps, "data" | "label">) {
  const settings = useSettings().data;
  if (!settings || settings.vatRate === 0) return null;
  const standard = `Standard ${settings.vatRate} %`;
  return (
    <NativeSelect
      label="VAT included"
      data={[
        { value: "", label: `As in Settings: ${settings.paymentsIncludeVat ? standard : "none"}` },
        { value: String(settings.vatRate), label: standard },
        { value: "0", label: "Zero-rated" },
        { value: EXEMPT, label: "Exempt" },
      ]}
      {...props}
    />
  );
}

/**
 * The VAT of a line as a list: the standard rate, zero-rated or exempt; another rate only while the line has it.
 * `standard` is in percent, 0 while nobody may charge VAT.
 */
export function VatSelect({
  standard,
  of,
  field,
}: {
  readonly standard: number;
  readonly of: TypedVat;
  field(name: "taxRate" | "taxExempt", options?: GetInputPropsOptions): GetInputPropsReturnType;
}) {
  const rate = Number(of.taxRate);
  const rates = [...new Set([standard, 0, ...(of.taxExempt ? [] : [rate])])];
  const words = (one: number): string => {
    if (one === 0) return standard === 0 ? "No VAT" : "Zero-rated";
    return one === standard ? `Standard ${one} %` : `${one} %`;
  };
  return (
    <NativeSelect
      label="VAT"
      data={[...rates.map((one) => ({ value: String(one), label: words(one) })), { value: EXEMPT, label: "Exempt" }]}
      value={of.taxExempt ? EXEMPT : String(rate)}
      error={field("taxRate").error ?? field("taxExempt").error}
      onChange={({ currentTarget: { value } }) => {
        field("taxExempt").onChange(value === EXEMPT);
        field("taxRate").onChange(value === EXEMPT ? 0 : Number(value));
      }}
    />
  );
}
