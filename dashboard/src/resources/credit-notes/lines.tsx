import { ActionIcon, Button, NumberInput, TextInput } from "@mantine/core";
import type { GetInputPropsReturnType } from "@mantine/form";
import { Fieldset, MoneyInput } from "../../components/form.tsx";
import { Icon } from "../../components/icon.tsx";

/** A line of a credit note while it is typed; an empty field is an empty text. */
export interface CreditLine {
  description: string;
  /** With VAT. */
  amount: number | string;
  /** Percent. */
  taxRate: number | string;
  /** What the corrected invoice charged with VAT, as text. */
  readonly charged?: string;
}

interface CreditLinesProps {
  readonly lines: readonly CreditLine[];
  readonly currency: string;
  /** The props of the field at a path within the lines, such as `0.amount`. */
  field(path: string): GetInputPropsReturnType;
  add(): void;
  remove(index: number): void;
}

/** The lines of a credit note, each with its VAT rate. */
export const CreditLines = (props: CreditLinesProps) => (
  <Fieldset legend="Lines" about="Amounts with VAT. A line without an amount is left out.">
    {props.lines.map((line, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id, and their fields are controlled
      <div className="tefo-line" key={index}>
        <TextInput
          label="What"
          description={line.charged && `Charged ${line.charged}`}
          inputWrapperOrder={["label", "input", "description", "error"]}
          dir="auto"
          autoComplete="off"
          {...props.field(`${index}.description`)}
        />
        <MoneyInput label="Credit" currency={props.currency} {...props.field(`${index}.amount`)} />
        <NumberInput
          label="VAT"
          suffix=" %"
          min={0}
          max={100}
          decimalScale={2}
          hideControls
          {...props.field(`${index}.taxRate`)}
        />
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          mt={25}
          aria-label={`Remove line ${index + 1}`}
          disabled={props.lines.length === 1}
          onClick={() => props.remove(index)}
        >
          <Icon name="cross" size={16} />
        </ActionIcon>
      </div>
    ))}
    <Button
      variant="default"
      size="xs"
      leftSection={<Icon name="plus" size={14} />}
      onClick={props.add}
      style={{ alignSelf: "flex-start" }}
    >
      Add a line
    </Button>
  </Fieldset>
);
