import { Alert, Button, Center, Group, Stack, Text, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { ReactNode } from "react";
import { ApiFailure, messageOf } from "../api/failure.ts";
import { type Permission, useMay } from "../api/session.ts";

/** How long a message offers to undo what it tells. */
const UNDO_MS = 10_000;

/** Shows a short message that an action was done; with `undo` it offers that for ten seconds. */
export function showDone(message: string, undo?: () => void): void {
  const common = { color: "teal", closeButtonProps: { "aria-label": "Dismiss the message" } };
  if (!undo) {
    notifications.show({ ...common, message });
    return;
  }
  // Only the last action can be undone.
  notifications.hide(UNDOABLE);
  notifications.show({
    ...common,
    id: UNDOABLE,
    autoClose: UNDO_MS,
    message: (
      <Group justify="space-between" wrap="nowrap">
        {message}
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            notifications.hide(UNDOABLE);
            undo();
          }}
        >
          Undo
        </Button>
      </Group>
    ),
  });
}
const UNDOABLE = "undoable";

const isMissing = (error: unknown): boolean => error instanceof ApiFailure && error.status === 404;

/** An error in place of the content, with a button to try again unless the record does not exist. */
export const Failure = ({ error, again }: { readonly error: unknown; readonly again?: (() => void) | undefined }) => (
  <Alert color="red" role="alert" title={isMissing(error) ? "Not found" : "Something went wrong"}>
    <Stack gap="xs" align="flex-start">
      <Text size="sm">{messageOf(error)}</Text>
      {error instanceof ApiFailure && error.requestId && error.status >= 500 && (
        <Text size="xs">
          Request <code>{error.requestId}</code>
        </Text>
      )}
      {again && !isMissing(error) && (
        <Button size="xs" variant="default" onClick={again}>
          Try again
        </Button>
      )}
    </Stack>
  </Alert>
);

/** The text of a list without records: what they are, and the next step. */
export const Empty = ({
  title,
  text,
  action,
  page = false,
}: {
  readonly title: string;
  readonly text: string;
  readonly action?: ReactNode;
  /** It is the only content of the page, and its title is the page's heading. */
  readonly page?: boolean;
}) => (
  <Center py="xl">
    <Stack align="center" gap="sm" maw={460} ta="center">
      <Title order={page ? 1 : 2} size="h4">
        {title}
      </Title>
      <Text c="dimmed" size="sm">
        {text}
      </Text>
      {action}
    </Stack>
  </Center>
);

/** Shows its content to people whose role has the permission; to others nothing, or `otherwise`. */
export function Permitted({
  to,
  otherwise = null,
  children,
}: {
  readonly to: Permission;
  readonly otherwise?: ReactNode;
  readonly children: ReactNode;
}) {
  return useMay()(to) ? children : otherwise;
}
