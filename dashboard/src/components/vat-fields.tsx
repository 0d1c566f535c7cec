import { Checkbox, NumberInput } from "@mantine/core";
import type { GetInputPropsOptions, GetInputPropsReturnType } from "@mantine/form";

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
