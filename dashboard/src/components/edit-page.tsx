import type { FormRulesRecord } from "@mantine/form";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type AddOpened, editing, type FormOf, ResourceForm } from "./form.tsx";
import { Frame, Loaded } from "./frame.tsx";

/** The page on which a record is changed; saved or cancelled, it goes to `back`. */
export const EditPage = <R extends object, Values extends object>({
  title,
  back,
  record,
  valuesOf,
  check,
  fields,
  summary,
  beside,
  change,
  touches,
  said,
}: {
  readonly title: string;
  readonly back: { readonly label: string; readonly to: string };
  readonly record: UseQueryResult<R>;
  valuesOf(record: R): Values;
  readonly check?: FormRulesRecord<Values>;
  /** `opened` is the record as it was read, also below. */
  fields(form: FormOf<Values>, opened: R): ReactNode;
  /** The effect of a change, beside the button, such as a total. */
  summary?(values: Values, opened: R): ReactNode;
  /** Beside the form, such as a preview of its values. */
  beside?(form: FormOf<Values>, opened: R): ReactNode;
  /** Sends the change, its body through `edit`. */
  change(values: Values, edit: AddOpened, opened: R): Promise<unknown>;
  readonly touches: readonly string[];
  readonly said: string;
}) => (
  <Frame title={title} back={back}>
    <Loaded of={record}>
      {(opened) => (
        <ResourceForm
          initial={valuesOf(opened)}
          edits={editing(opened, valuesOf)}
          {...(check && { check })}
          fields={(form) => fields(form, opened)}
          {...(summary && { summary: (values: Values) => summary(values, opened) })}
          {...(beside && { beside: (form: FormOf<Values>) => beside(form, opened) })}
          label="Save"
          send={(values, _keyFor, edit) => change(values, edit, opened)}
          touches={touches}
          said={said}
          to={() => back.to}
          back={back.to}
        />
      )}
    </Loaded>
  </Frame>
);
