import { Alert, Button, Group, Paper, Stack, Title } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { KeyFor } from "../api/records.ts";
import { SubmitButton } from "./allowed.tsx";
import { FormError, type FormOf, useSentForm } from "./form.tsx";
import { Frame } from "./frame.tsx";
import { CopyId } from "./values.tsx";

/** The form of a record with a secret, which replaces the form when it is made, and is never shown again. */
export function ShownOnce<Values extends object, Result>(props: {
  readonly title: string;
  /** The list that gets the record. */
  readonly back: { readonly label: string; readonly to: string };
  readonly initial: Values;
  fields(form: FormOf<Values>): ReactNode;
  readonly label: string;
  send(values: Values, keyFor: KeyFor): Promise<Result>;
  readonly touches: readonly string[];
  secret(result: Result): { readonly label: string; readonly value: string; readonly about: string };
}) {
  const navigate = useNavigate();
  const [made, setMade] = useState<Result | null>(null);
  const sent = useSentForm<Values, Result>({ ...props, done: setMade });
  const leave = () => void navigate({ to: props.back.to });
  return (
    // The page with the secret is left by the button that says that it was copied.
    <Frame title={props.title} {...(made === null && { back: props.back })}>
      {made !== null ? (
        <Secret {...props.secret(made)} leave={leave} />
      ) : (
        <form onSubmit={sent.submit} noValidate>
          <Stack gap="md" maw={820}>
            <FormError error={sent.error} />
            <Paper withBorder p="lg">
              <Stack gap="md">{props.fields(sent.form)}</Stack>
            </Paper>
            <Group justify="flex-end" gap="sm">
              <Button variant="default" onClick={leave}>
                Cancel
              </Button>
              <SubmitButton busy={sent.busy}>{props.label}</SubmitButton>
            </Group>
          </Stack>
        </form>
      )}
    </Frame>
  );
}

/** A secret that is shown this once. */
export const Secret = ({
  label,
  value,
  about,
  leave,
}: {
  readonly label: string;
  readonly value: string;
  readonly about: string;
  leave(): void;
}) => (
  <Paper withBorder p="lg" role="status" maw={820}>
    <Stack gap="md" align="flex-start">
      <Title order={2} size="h4">
        {label}
      </Title>
      <div className="tefo-words">
        <CopyId id={value} label="Copy" />
      </div>
      <Alert color="gray" title="Shown this once">
        {about}
      </Alert>
      <Button onClick={leave}>I have saved it</Button>
    </Stack>
  </Paper>
);
