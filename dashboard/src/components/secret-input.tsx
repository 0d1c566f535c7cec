import { PasswordInput, type PasswordInputProps } from "@mantine/core";

/** A field whose text is hidden until a button shows it; the library's own button can be used with the mouse only. */
export const SecretInput = ({ label, ...props }: PasswordInputProps & { readonly label: string }) => (
  <PasswordInput
    label={label}
    visibilityToggleButtonProps={{ "aria-label": `Show ${label}`, tabIndex: 0 }}
    {...props}
  />
);
