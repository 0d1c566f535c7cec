import { Alert, Button, type ButtonProps, Group, Modal, Stack, Textarea } from "@mantine/core";
import type { FormRulesRecord } from "@mantine/form";
import { type ReactNode, useState } from "react";
import type { KeyFor } from "../api/records.ts";
import { type Permission, useMay } from "../api/session.ts";
import { Sendable, SubmitButton } from "./allowed.tsx";
import { type AddOpened, type Edited, FormError, type FormOf, useSentForm } from "./form.tsx";
import { told } from "./notice.tsx";

interface MoneyActionProps<Values extends object, Result> {
  /** On the button, and in the dialog on the one that does it. */
  readonly label: string;
  readonly title: string;
  /** Without it, nothing is shown. Left out: whoever is signed in may. */
  readonly permission?: Permission;
  readonly initial: Values;
  fields?(form: FormOf<Values>): ReactNode;
  readonly check?: FormRulesRecord<Values>;
  /** What will happen, in words and figures, from what is chosen so far. */
  what(values: Values): ReactNode;
  /** Asks for a reason: the values hold `reason`. `optional`: it may stay empty. */
  readonly reason?: "required" | "optional";
  /** The record that the action changes; its body is then sent through `edit`. */
  readonly edits?: Edited<Values>;
  send(values: Values, keyFor: KeyFor, edit: AddOpened): Promise<Result>;
  readonly touches: readonly string[];
  /** What is said when it is done. */
  said(result: Result): string;
  /** What came of it, such as a link to copy, which stays in the dialog until it is closed; null closes it. */
  outcome?(result: Result): ReactNode;
  readonly danger?: boolean;
  readonly button?: ButtonProps;
}

/**
 * An action that moves money or cannot be undone: a button that opens a dialog, which shows what will happen, asks for a reason, and does it
 * once however often it is pressed. Each opening is a new action. A refusal leaves the dialog open with what was typed; so does a permission that is
 * lost meanwhile.
 */
export function MoneyAction<Values extends object, Result>(props: MoneyActionProps<Values, Result>) {
  const [opened, setOpened] = useState(false);
  const [outcome, setOutcome] = useState<ReactNode>(null);
  const may = useMay();
  const open = () => {
    setOutcome(null);
    setOpened(true);
  };
  const close = () => setOpened(false);
  const allowed = !props.permission || may(props.permission);
  if (!allowed && !opened) return null;
  return (
    <>
      {allowed && (
        <Button variant={props.danger ? "default" : "filled"} {...props.button} onClick={open}>
          {props.label}
        </Button>
      )}
      <Modal opened={opened} onClose={close} title={props.title} centered closeButtonProps={{ "aria-label": "Close" }}>
        {opened && outcome === null && (
          <Sendable may={allowed}>
            <ActionForm {...props} close={close} keep={setOutcome} />
          </Sendable>
        )}
        {opened && outcome !== null && (
          <Stack gap="md">
            <div>{outcome}</div>
            <Button variant="default" onClick={close} style={{ alignSelf: "flex-end" }} data-autofocus>
              Close
            </Button>
          </Stack>
        )}
      </Modal>
    </>
  );
}

/** Said where a reason is wanted and none is given. */
export const WITHOUT_REASON = "Say why: it is kept with the change, for whoever reads it later.";

function ActionForm<Values extends object, Result>(
  props: MoneyActionProps<Values, Result> & { close(): void; keep(outcome: ReactNode): void },
) {
  const required = { reason: (value: string) => (value?.trim() ? null : WITHOUT_REASON) };
  const sent = useSentForm<Values, Result>({
    initial: { ...(props.reason ? { reason: "" } : {}), ...props.initial },
    check: { ...props.check, ...(props.reason === "required" ? required : {}) } as FormRulesRecord<Values>,
    edits: props.edits,
    send: props.send,
    touches: props.touches,
    done: (result) => {
      const outcome = props.outcome?.(result) ?? null;
      if (outcome !== null) props.keep(outcome);
      else props.close();
      told(props.said(result));
    },
  });
  return (
    <form onSubmit={sent.submit} noValidate>
      <Stack gap="md">
        <FormError error={sent.error} conflict={sent.conflict} />
        {props.fields?.(sent.form)}
        {props.reason && (
          <Textarea
            label="Reason"
            withAsterisk={props.reason === "required"}
            autosize
            minRows={2}
            maxLength={500}
            {...sent.form.getInputProps("reason")}
          />
        )}
        <Alert color={props.danger ? "red" : "gray"} title="What will happen" aria-live="polite">
          {props.what(sent.form.values)}
        </Alert>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={props.close}>
            Back
          </Button>
          <SubmitButton busy={sent.busy} {...(props.danger ? { color: "red.9" } : {})}>
            {props.label}
          </SubmitButton>
        </Group>
      </Stack>
    </form>
  );
}
