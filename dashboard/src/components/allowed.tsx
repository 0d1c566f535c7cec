import { Button, type ButtonProps, Text } from "@mantine/core";
import { createContext, type ReactNode, useContext, useRef } from "react";
import { type Permission, useMay } from "../api/session.ts";

const Lost = createContext(false);

/** Shows a form to those who may send it, else `otherwise`. Who loses the permission while it is open keeps what was typed, and can send it no longer. */
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

/** A form that can be sent while the role may do so. */
export const Sendable = ({ may, children }: { readonly may: boolean; readonly children: ReactNode }) => (
  <Lost value={!may}>{children}</Lost>
);

/** The button that sends a form, or with `onClick` what stands in place of one; when the role may not any more, that is said in its place. */
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
