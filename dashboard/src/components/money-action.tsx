import { Alert, Button, type ButtonProps, Group, Modal, Stack, Textarea } from "@mantine/core";
import type { FormRulesRecord } from "@mantine/form";
import { type ReactNode, useState } from "react";
import type { KeyFor } from "../api/records.ts";
import { type Permission, useMay } from "../api/session.ts";
import { Sendable, SubmitButton } from "./allowed.tsx";
import { type AddOpened, type Edited, FormError, type FormOf, useSentForm } from "./form.tsx";
import { showDone } from "./notice.tsx";

interface MoneyActionProps<Values extends object, Result> {
  /** The text of the button, and of the button in the dialog that does it. */
  readonly label: string;
  readonly title: string;
  /** Without this permission nothing is shown. Left out: every signed-in person may do it. */
  readonly permission?: Permission;
  readonly initial: Values;
  fields?(form: FormOf<Values>): ReactNode;
  readonly check?: FormRulesRecord<Values>;
  /** The effect, in words and figures, of the present input. */
  what(values: Values): ReactNode;
  /** Asks for a reason: the values hold `reason`. `optional`: it may stay empty. */
  readonly reason?: "required" | "optional";
  /** The record that the action changes; its body is then sent through `edit`. */
  readonly edits?: Edited<Values>;
  send(values: Values, keyFor: KeyFor, edit: AddOpened): Promise<Result>;
  readonly touches: readonly string[];
  /** The message when it is done. */
  said(result: Result): string;
  /** The result, such as a link to copy, which stays in the dialog until it is closed; null closes it. */
  outcome?(result: Result): ReactNode;
  readonly danger?: boolean;
  readonly button?: ButtonProps;
}

/**
 * An action that moves money or cannot be undone: a button that opens a dialog, which shows the effect, asks for a
 * reason, and does it once however often the button is pressed. Each opening is a new action. A refusal leaves the
 * dialog open with the input; so does the loss of the permission.
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

/** The fault when a reason is required and none is given. */
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
      showDone(props.said(result));
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
