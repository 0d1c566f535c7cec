import {
  Alert,
  Button,
  Group,
  List,
  NumberInput,
  type NumberInputProps,
  Paper,
  Stack,
  Text,
  TextInput,
  type TextInputProps,
} from "@mantine/core";
import { type FormRulesRecord, type UseFormReturnType, useForm } from "@mantine/form";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { ApiFailure, faultsOf, messageOf } from "../api/failure.ts";
import { type KeyFor, useChange } from "../api/records.ts";
import { type ChangedField, differences, openedFor, withChanges } from "../lib/edits.ts";
import { decimalsOf } from "../lib/money.ts";
import { fieldWords } from "../lib/refusals.ts";
import { typedAmount } from "../lib/typed-amount.ts";
import { SubmitButton } from "./allowed.tsx";
import { type Conflict, ConflictNotice } from "./conflict.tsx";
import { useKeptForm } from "./kept-form.tsx";
import { showDone } from "./notice.tsx";

/** The form of some values, as fields get it. */
export type FormOf<Values> = UseFormReturnType<Values>;

/** What fields use of a form. */
export type FieldsOf<Values> = Pick<
  FormOf<Values>,
  "values" | "getInputProps" | "setFieldValue" | "insertListItem" | "removeListItem"
>;

/** The part of a form's values that is at `path`, such as `items.0`, as a form of its own for the fields within it. */
export function partOf<Part>(form: FieldsOf<object>, path: string, values: Part): FieldsOf<Part> {
  const at = (name: string) => `${path}.${name}`;
  return {
    values,
    getInputProps: (name, options) => form.getInputProps(at(name), options),
    setFieldValue: (name, value, options) => form.setFieldValue(at(name), value as never, options),
    insertListItem: (name, item, index) => form.insertListItem(at(name), item as never, index),
    removeListItem: (name, index) => form.removeListItem(at(name), index),
  };
}

/** A form that sends a change: its fields, whether it is being sent, and errors that belong to no field. */
export interface SentForm<Values> {
  readonly form: FormOf<Values>;
  readonly busy: boolean;
  /** The error; null while `conflict` shows it. */
  readonly error: unknown;
  readonly conflict: Conflict | null;
  submit(event: FormEvent<HTMLFormElement>): void;
}

/** Adds to the body of an edit the record as the form read it (`opened`). */
export type AddOpened = <Body extends object>(body: Body) => Body & { opened?: Record<string, unknown> };

/** The record that a form edits, as it was read, and its values in the form. */
export interface Edited<Values> {
  readonly record: object;
  valuesOf(record: object): Values;
}

/** The properties of a form that edits a record. */
export const editing = <R extends object, Values>(record: R, valuesOf: (record: R) => Values): Edited<Values> => ({
  record,
  valuesOf: valuesOf as (record: object) => Values,
});

/**
 * A form whose values are sent by `send`. Faults that the API finds are shown beside their fields, and the input stays.
 * `keyFor` of `send` makes a second click safe. A form that edits a record names it in `edits` and sends its body
 * through `edit`: then a field that was changed since the form was opened is a `conflict`.
 */
export function useSentForm<Values extends object, Result>(options: {
  readonly initial: Values;
  readonly edits?: Edited<Values> | undefined;
  readonly check?: FormRulesRecord<Values>;
  send(values: Values, keyFor: KeyFor, edit: AddOpened): Promise<Result>;
  readonly touches: readonly string[];
  done(result: Result): void;
}): SentForm<Values> {
  const form = useForm<Values>({ initialValues: options.initial, validate: options.check ?? {} });
  const opened = useRef(options.edits?.record);
  const edit: AddOpened = (body) => (opened.current ? { ...body, opened: openedFor(opened.current, body) } : body);
  const change = useChange(
    (values: Values, keyFor) => options.send(values, keyFor, edit),
    options.touches,
    (result: Result) => {
      // A form that stays on its page continues from the values that it has saved.
      if (opened.current) opened.current = result as object;
      options.done(result);
    },
  );
  const send = (values: Values) => {
    if (change.isPending) return;
    change.mutate(values, {
      onError: (error) => {
        if (!(error instanceof ApiFailure)) return;
        form.setErrors(Object.fromEntries(error.faults.map(({ path, message }) => [path, message])));
      },
    });
  };
  const conflict = conflictOf(change.error, {
    takeTheirs(changed) {
      const { edits } = options;
      if (!edits || !opened.current) return;
      const theirs = withChanges(opened.current, changed);
      for (const { path, value } of differences(edits.valuesOf(opened.current), edits.valuesOf(theirs)))
        form.setFieldValue(path, value as never);
      opened.current = theirs;
      change.reset();
    },
    overwrite(changed) {
      if (opened.current) opened.current = withChanges(opened.current, changed);
      send(form.getValues());
    },
  });
  const error = conflict ? null : change.error;
  return { form, busy: change.isPending, error, conflict, submit: form.onSubmit(send) };
}

/** The conflict in an error, with the ways to continue; null for any other error. */
function conflictOf(
  error: unknown,
  ways: Readonly<Record<"takeTheirs" | "overwrite", (changed: readonly ChangedField[]) => void>>,
): Conflict | null {
  if (!(error instanceof ApiFailure) || error.code !== "record_changed") return null;
  const { changed } = error;
  return { changed, takeTheirs: () => ways.takeTheirs(changed), overwrite: () => ways.overwrite(changed) };
}

/** The form's label of a field, or of the field that it is a part of; the API's name in words when it has none. */
function labelIn(form: HTMLFormElement | null | undefined, path: string): string {
  for (let name = path; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) {
    const field = form?.querySelector<HTMLInputElement>(`[data-path="${CSS.escape(name)}"]`);
    const label = field?.labels?.[0]?.textContent?.replace(/\s*\*$/, "");
    if (label) return label;
  }
  return fieldWords(path);
}

/** The error of a form, which takes the focus so that it is read out. Refused fields have the form's labels. */
export function FormError({
  error,
  conflict = null,
  title = "Not saved",
}: {
  readonly error: unknown;
  readonly conflict?: Conflict | null;
  readonly title?: string;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [faults, setFaults] = useState<readonly string[]>([]);
  useEffect(() => {
    setFaults(faultsOf(error, (path) => labelIn(box.current?.closest("form"), path)));
    if (error) box.current?.focus();
  }, [error]);
  if (conflict) return <ConflictNotice {...conflict} />;
  if (!error) return null;
  return (
    <Alert color="red" role="alert" tabIndex={-1} ref={box} title={title}>
      {faults.length > 1 ? (
        <List size="sm">
          {faults.map((fault) => (
            <List.Item key={fault}>{fault}</List.Item>
          ))}
        </List>
      ) : (
        (faults[0] ?? messageOf(error))
      )}
    </Alert>
  );
}

/** The form of a record on a page of its own. */
export function ResourceForm<Values extends object, Result>(props: {
  readonly initial: Values;
  readonly edits?: Edited<Values>;
  readonly check?: FormRulesRecord<Values>;
  fields(form: FormOf<Values>): ReactNode;
  /** A summary beside the button, such as a total. */
  readonly summary?: ((values: Values) => ReactNode) | undefined;
  /** Beside the form, such as a preview of its values. */
  readonly beside?: ((form: FormOf<Values>) => ReactNode) | undefined;
  readonly label: string;
  send(values: Values, keyFor: KeyFor, edit: AddOpened): Promise<Result>;
  readonly touches: readonly string[];
  /** The message when it is done. */
  readonly said: string | ((result: Result) => string);
  /** The address to which it then goes. */
  to(result: Result): string;
  readonly back: string;
}) {
  const navigate = useNavigate();
  const sent = useSentForm<Values, Result>({
    ...props,
    done: (result) => {
      kept.forget();
      showDone(typeof props.said === "string" ? props.said : props.said(result));
      // Back goes to the page from which the form was opened.
      void navigate({ to: props.to(result), replace: true });
    },
  });
  const kept = useKeptForm(sent.form, { label: props.label, edits: props.edits !== undefined });
  const cancel = () => {
    kept.forget();
    void navigate({ to: props.back });
  };
  const form = (
    <form onSubmit={sent.submit} noValidate>
      <Stack gap="md" maw={820}>
        {kept.offer}
        <FormError error={sent.error} conflict={sent.conflict} />
        <Paper withBorder p="lg">
          <Stack gap="md">{props.fields(sent.form)}</Stack>
        </Paper>
        <Group justify="space-between" align="flex-end">
          <div>{props.summary?.(sent.form.values)}</div>
          <Group gap="sm" ml="auto">
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
            <SubmitButton busy={sent.busy}>{props.label}</SubmitButton>
          </Group>
        </Group>
      </Stack>
    </form>
  );
  return <Beside form={form}>{props.beside?.(sent.form)}</Beside>;
}

/** A form with what stands beside it, if anything does. */
export const Beside = ({ form, children }: { readonly form: ReactNode; readonly children?: ReactNode }) =>
  children ? (
    <div className="tefo-designer">
      {form}
      {children}
    </div>
  ) : (
    form
  );

const placesOf = (value: number): number => (String(value).split(".")[1] ?? "").length;

/** An amount as its field shows it: `R 1 234.50`, with more decimals where it has them. */
function shownAmount(value: unknown, currency: string, decimals: number): string {
  if (typeof value !== "number") return String(value ?? "");
  const least = Math.min(2, decimalsOf(currency));
  const digits = Math.min(decimals, Math.max(least, placesOf(value)));
  const [whole = "", fraction] = Math.abs(value).toFixed(digits).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, " ");
  return `${value < 0 ? "-" : ""}${currency === "ZAR" ? "R" : currency} ${grouped}${fraction === undefined ? "" : `.${fraction}`}`;
}

/**
 * A field for an amount: text as it is typed (`typedAmount`), and once it is left, the amount with the cents of its currency. Its value is a
 * number, or text while it is empty or none yet. A minus stays in the field with `below` as its error; the API refuses it too.
 */
export function MoneyInput({
  currency = "ZAR",
  decimals = 2,
  allowNegative = false,
  below = "An amount cannot be negative",
  error,
  value,
  onChange,
  onBlur,
  ...props
}: Omit<TextInputProps, "value" | "onChange"> & {
  readonly value?: number | string;
  onChange?(value: number | string): void;
  readonly currency?: string;
  readonly decimals?: number;
  readonly allowNegative?: boolean;
  readonly below?: string;
}) {
  const [typed, setTyped] = useState<string | null>(null);
  const negative = !allowNegative && String(value ?? "").startsWith("-");
  return (
    <TextInput
      {...props}
      value={typed ?? shownAmount(value, currency, decimals)}
      error={negative ? below : error}
      inputMode="decimal"
      autoComplete="off"
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange?.(typedAmount(currentTarget.value, decimals));
      }}
      onBlur={(event) => {
        setTyped(null);
        onBlur?.(event);
      }}
    />
  );
}

/** A field for a whole number, such as of days. Its value is a number, or empty text while it is empty. */
export const WholeInput = (props: NumberInputProps) => (
  <NumberInput min={1} allowDecimal={false} hideControls {...props} />
);

/** A heading of some fields within a form. */
export const Fieldset = ({
  legend,
  about,
  children,
}: {
  readonly legend: string;
  readonly about?: string;
  readonly children: ReactNode;
}) => (
  <fieldset className="tefo-fieldset">
    <legend>{legend}</legend>
    {about && (
      <Text size="sm" c="dimmed" mb="sm">
        {about}
      </Text>
    )}
    <Stack gap="md">{children}</Stack>
  </fieldset>
);
