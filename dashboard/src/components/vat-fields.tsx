import { Checkbox, NumberInput } from "@mantine/core";
import type { GetInputPropsReturnType } from "@mantine/form";

/** The VAT rate of a price and whether it is exempt, which makes the rate 0. `rate` and `mark` are the props of the fields. */
export const VatFields = ({
  exempt,
  rate,
  mark,
}: {
  readonly exempt: boolean;
  readonly rate: GetInputPropsReturnType;
  readonly mark: GetInputPropsReturnType;
}) => (
  <div>
    <NumberInput
      label="VAT"
      suffix=" %"
      min={0}
      max={100}
      decimalScale={2}
      hideControls
      {...rate}
      {...(exempt && { value: 0, disabled: true })}
    />
    <Checkbox label="Exempt from VAT" size="xs" mt={6} {...mark} />
  </div>
);
