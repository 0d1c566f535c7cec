import { Alert, Button, Center, Stack, Text, Title } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { ReactNode } from "react";
import { ApiFailure, messageOf } from "../api/failure.ts";
import { type Permission, useMay } from "../api/session.ts";

/** Says shortly that something was done. */
export const told = (message: string): void =>
  void notifications.show({ message, color: "teal", closeButtonProps: { "aria-label": "Dismiss the message" } });

const isMissing = (error: unknown): boolean => error instanceof ApiFailure && error.status === 404;

/** An error in place of what was wanted, with a way to try again unless there is no such thing. */
export const Failure = ({ error, again }: { readonly error: unknown; readonly again?: (() => void) | undefined }) => (
  <Alert color="red" role="alert" title={isMissing(error) ? "Not found" : "That did not work"}>
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

/** What a list without records says: what they are, and what to do next. */
export const Empty = ({
  title,
  text,
  action,
  page = false,
}: {
  readonly title: string;
  readonly text: string;
  readonly action?: ReactNode;
  /** It is all that the page says, and its title the page's heading. */
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

/** Shows its content to those whose role has the permission; to others nothing, or what `otherwise` says. */
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
