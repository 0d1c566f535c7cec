import { Anchor, type AnchorProps, Button, type ButtonProps } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

interface Target {
  /** Address below `/dashboard`. */
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly children: ReactNode;
}

/** A link within the dashboard. */
export const TextLink = ({ to, search, children, ...props }: Target & AnchorProps) => (
  <Anchor {...props} renderRoot={(root) => <Link {...root} to={to} {...(search ? { search } : {})} />}>
    {children}
  </Anchor>
);

/** A link within the dashboard that looks like a button. */
export const ButtonLink = ({ to, search, children, ...props }: Target & ButtonProps & { onClick?(): void }) => (
  <Button {...props} renderRoot={(root) => <Link {...root} to={to} {...(search ? { search } : {})} />}>
    {children}
  </Button>
);

/** A link out of the dashboard's pages, such as to a file, that looks like a quieter button. */
export const ButtonAnchor = ({
  href,
  children,
  out = false,
}: {
  readonly href: string;
  readonly children: ReactNode;
  readonly out?: boolean;
}) => (
  <Anchor href={href} className="tefo-button" {...(out ? { target: "_blank", rel: "noreferrer" } : {})}>
    {children}
  </Anchor>
);
