import { ActionIcon, Button } from "@mantine/core";
import { Fragment, type ReactNode } from "react";
import type { FieldsOf } from "./form.tsx";
import { Icon } from "./icon.tsx";

/** Rows of fields of a list in a form's values, which are added and removed; `noun` is what a row is, such as `feature`. */
export function FieldRows<Row, Name extends string, Values extends Record<Name, Row[]>>({
  form,
  name,
  noun,
  fresh,
  add = `Add ${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`,
  keepsFirst = false,
  limit = Number.POSITIVE_INFINITY,
  children,
  below,
}: {
  readonly form: FieldsOf<Values>;
  readonly name: Name;
  readonly noun: string;
  /** A new row. */
  readonly fresh: Row;
  /** The text of the button that adds one. */
  readonly add?: string;
  /** The first row cannot be removed. */
  readonly keepsFirst?: boolean;
  /** The most rows. */
  readonly limit?: number | undefined;
  /** The fields of a row; `field` gives what one of them is bound by. */
  children(
    row: Row,
    field: (of: keyof Row & string) => ReturnType<FieldsOf<Values>["getInputProps"]>,
    index: number,
  ): ReactNode;
  /** What stands beneath the fields of a row. */
  below?(row: Row, index: number): ReactNode;
}) {
  const rows: readonly Row[] = form.values[name];
  return (
    <>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: new rows have no id, and their fields are controlled
        <Fragment key={index}>
          <div className="tefo-line tefo-item">
            {children(row, (of) => form.getInputProps(`${name}.${index}.${of}`), index)}
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              mt={25}
              aria-label={`Remove ${noun} ${index + 1}`}
              disabled={keepsFirst && index === 0}
              onClick={() => form.removeListItem(name, index)}
            >
              <Icon name="cross" size={16} />
            </ActionIcon>
          </div>
          {below?.(row, index)}
        </Fragment>
      ))}
      {rows.length < limit && (
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => form.insertListItem(name, fresh as never)}
          style={{ alignSelf: "flex-start" }}
        >
          {add}
        </Button>
      )}
    </>
  );
}
