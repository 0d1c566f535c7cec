import { NativeSelect, NumberInput } from "@mantine/core";
import type { GetInputPropsReturnType } from "@mantine/form";

/**
 * A discount before VAT: a number, and whether it is percent or an amount. `field` gives the props of each; `about` names
 * the discount for who does not see where it stands.
 */
export function DiscountInput({
  label,
  about,
  description,
  currency,
  field,
}: {
  readonly label: string;
  readonly about: string;
  readonly description?: string;
  readonly currency: string;
  field(name: "discount" | "discountIn" | "discount.percent" | "discount.amount"): GetInputPropsReturnType;
}) {
  const kind = field("discountIn");
  const typed = field("discount");
  const error = typed.error ?? field("discount.percent").error ?? field("discount.amount").error;
  return (
    <NumberInput
      label={label}
      {...(description && { description })}
      {...typed}
      error={error}
      decimalScale={kind.value === "percent" ? 4 : 2}
      thousandSeparator=" "
      decimalSeparator="."
      allowedDecimalSeparators={[".", ","]}
      clampBehavior="none"
      hideControls
      inputMode="decimal"
      rightSectionWidth={64}
      rightSectionPointerEvents="auto"
      rightSection={
        <NativeSelect
          aria-label={`${about}: percent or amount`}
          variant="unstyled"
          w="100%"
          rightSectionWidth={28}
          data={[
            { value: "percent", label: "%" },
            { value: "amount", label: currency === "ZAR" ? "R" : currency },
          ]}
          {...kind}
        />
      }
    />
  );
}
