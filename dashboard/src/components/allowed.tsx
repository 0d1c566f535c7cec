import { Button, type ButtonProps, Text } from "@mantine/core";
import { createContext, type ReactNode, useContext, useRef } from "react";
import { type Permission, useMay } from "../api/session.ts";

const Lost = createContext(false);

/**
 * Shows a form to people who may send it, else `otherwise`. A person who loses the permission while it is open keeps
 * the input, but can no longer send it.
 */
export function WhileAllowed({
  to,
  otherwise = null,
  children,
}: {
  readonly to: Permission;
  readonly otherwise?: ReactNode;
  readonly children: ReactNode;
}) {
  const may = useMay()(to);
  const opened = useRef(may);
  opened.current ||= may;
  return opened.current ? <Sendable may={may}>{children}</Sendable> : otherwise;
}

/** A form that can be sent while the role allows it. */
export const Sendable = ({ may, children }: { readonly may: boolean; readonly children: ReactNode }) => (
  <Lost value={!may}>{children}</Lost>
);

/** The button that sends a form, or with `onClick` another action; when the role no longer allows it, a message replaces the button. */
export const SubmitButton = ({
  busy,
  ...props
}: ButtonProps & { readonly busy: boolean; onClick?(): void; readonly children: ReactNode }) =>
  useContext(Lost) ? (
    <Text size="sm" role="status">
      Your role may not do this any more.
    </Text>
  ) : (
    <Button type={props.onClick ? "button" : "submit"} loading={busy} {...props} />
  );
