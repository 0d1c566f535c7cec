import { Alert, Button, Group, Text } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { type ReactNode, useEffect, useState } from "react";
import { useActing } from "../api/session.ts";
import { withKept, withoutSecrets } from "../lib/kept.ts";
import { formatTime } from "../lib/time.ts";

const PREFIX = "tefo-form:";

/** Input of a form that was left before it was sent. */
interface Kept {
  readonly at: string;
  /** The values with which the form was opened, as far as they are kept. */
  readonly initial: unknown;
  readonly values: unknown;
}

/** Forgets the input of all forms, as when somebody signs out. */
export function forgetForms(): void {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
}

function readKept(name: string): Kept | null {
  const text = sessionStorage.getItem(name);
  return text === null ? null : (JSON.parse(text) as Kept);
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Keeps the input of a form in this tab of the browser until it is sent or discarded, and offers it when the form is
 * opened again by the same person. Secrets are not kept. Of a record that has changed meanwhile nothing is offered.
 */
export function useKeptForm<Values>(
  form: UseFormReturnType<Values>,
  { label, edits }: { readonly label: string; readonly edits: boolean },
): { readonly offer: ReactNode; forget(): void } {
  const { session, membership } = useActing();
  // The address of the form, which does not change while it is shown.
  const [name] = useState(
    () => `${PREFIX}${session.user.id}:${membership.slug}:${location.pathname}${location.search}:${label}`,
  );
  const [initial] = useState(() => withoutSecrets(form.getInitialValues()));
  const [offered, setOffered] = useState(() => {
    const kept = readKept(name);
    return kept && !same(kept.values, initial) && (!edits || same(kept.initial, initial)) ? kept : null;
  });
  const { values } = form;
  const dirty = form.isDirty();
  useEffect(() => {
    // What is offered stays until somebody has decided on it.
    if (offered) return;
    const kept: Kept = { at: new Date().toISOString(), initial, values: withoutSecrets(values) };
    if (dirty && !same(kept.values, initial)) sessionStorage.setItem(name, JSON.stringify(kept));
    else sessionStorage.removeItem(name);
  }, [values, dirty, offered, name, initial]);
  const forget = () => {
    sessionStorage.removeItem(name);
    setOffered(null);
  };
  const take = () => {
    if (!offered) return;
    form.setValues(withKept(form.getValues(), offered.values) as Values);
    setOffered(null);
  };
  return { offer: offered && <Offer at={offered.at} take={take} discard={forget} />, forget };
}

const Offer = ({ at, take, discard }: { readonly at: string; take(): void; discard(): void }) => (
  <Alert color="blue" title="You have input that is not saved">
    <Text size="sm" mb="sm">
      It is from {formatTime(at)}. Passwords, credentials and account numbers were not kept.
    </Text>
    <Group gap="sm">
      <Button size="xs" onClick={take}>
        Continue with it
      </Button>
      <Button size="xs" variant="default" onClick={discard}>
        Discard it
      </Button>
    </Group>
  </Alert>
);
