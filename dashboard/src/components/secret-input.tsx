import { PasswordInput, type PasswordInputProps } from "@mantine/core";

/** A field whose text is hidden until a button shows it; the library's own button is for the mouse alone. */
export const SecretInput = ({ label, ...props }: PasswordInputProps & { readonly label: string }) => (
  <PasswordInput
    label={label}
    visibilityToggleButtonProps={{ "aria-label": `Show ${label}`, tabIndex: 0 }}
    {...props}
  />
);
