import { Button, Group, Paper, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { KeyFor } from "../api/records.ts";
import { type AddOpened, Beside, type Edited, FormError, type FormOf, useSentForm } from "./form.tsx";
import { useKeptForm } from "./kept-form.tsx";
import { showDone } from "./notice.tsx";

/**
 * A form that stays on its page when it is saved. While there are changes, its button stays visible. A person who may not change it sees it
 * without a button, and cannot type.
 */
export function SettingsForm<Values extends object, Result>(props: {
  readonly initial: Values;
  readonly edits?: Edited<Values>;
  readonly readOnly: boolean;
  /** `refused`: why it was not saved. */
  fields(form: FormOf<Values>, refused: unknown): ReactNode;
  /** Beside the form, such as a preview of its values. */
  beside?(form: FormOf<Values>): ReactNode;
  send(values: Values, keyFor: KeyFor, edit: AddOpened): Promise<Result>;
  readonly touches: readonly string[];
  readonly said: string;
}) {
  const sent = useSentForm<Values, Result>({
    ...props,
    done: () => {
      kept.forget();
      sent.form.resetDirty();
      showDone(props.said);
    },
  });
  const kept = useKeptForm(sent.form, { label: props.said, edits: props.edits !== undefined });
  const changed = sent.form.isDirty();
  const form = (
    <form onSubmit={sent.submit} noValidate>
      <Stack gap="md" maw={820}>
        {!props.readOnly && kept.offer}
        <FormError error={sent.error} conflict={sent.conflict} />
        <fieldset className="tefo-fieldset" disabled={props.readOnly}>
          <Paper withBorder p="lg">
            <Stack gap="lg">{props.fields(sent.form, sent.error)}</Stack>
          </Paper>
        </fieldset>
        {!props.readOnly && (
          <Group className="tefo-save" justify="flex-end" gap="sm" data-changed={changed}>
            {changed && <Text size="sm">Not saved yet</Text>}
            <Button type="submit" loading={sent.busy}>
              Save
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
  return <Beside form={form}>{props.beside?.(sent.form)}</Beside>;
}
