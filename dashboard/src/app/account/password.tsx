import { PasswordInput, type PasswordInputProps } from "@mantine/core";

/** A field for a password of one's own. */
export const Password = (props: PasswordInputProps) => (
  <PasswordInput
    autoComplete="current-password"
    visibilityToggleButtonProps={{ "aria-label": "Show the password" }}
    {...props}
  />
);
