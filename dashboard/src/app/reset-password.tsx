import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { api, got } from "../api/client.ts";
import { FormError } from "../components/form.tsx";
import { ButtonLink } from "../components/link.tsx";
import { SecretInput } from "../components/secret-input.tsx";
import { useTitle } from "../components/title.ts";
import { SignedOutPage, ToSignIn } from "./signed-out-page.tsx";

/** Asks for a mail with a link to a new password. */
export function ForgottenPassword() {
  const form = useForm({ initialValues: { email: "" } });
  const ask = useMutation({
    mutationFn: (body: { email: string }) => got(api.POST("/auth/request-password-reset", { body })),
  });
  if (ask.isSuccess)
    return (
      <Text role="status">
        If that address has an account, we have sent an email with a link that works for an hour.
      </Text>
    );
  return (
    <form onSubmit={form.onSubmit((values) => ask.mutate(values))}>
      <Stack gap="md">
        <FormError error={ask.error} title="No email was sent" />
        <TextInput
          label="Email address"
          type="email"
          autoComplete="username"
          required
          {...form.getInputProps("email")}
        />
        <Button type="submit" loading={ask.isPending}>
          Send a link
        </Button>
      </Stack>
    </form>
  );
}

/** The page that the link in such a mail opens. */
export function ResetPassword() {
  const { token } = useParams({ strict: false }) as { token: string };
  const form = useForm({ initialValues: { newPassword: "" } });
  useTitle("New password");
  const reset = useMutation({
    mutationFn: ({ newPassword }: { newPassword: string }) =>
      got(api.POST("/auth/reset-password", { body: { token, newPassword } })),
  });
  return (
    <SignedOutPage title="New password">
      {reset.isSuccess ? (
        <>
          <Text role="status">New password set</Text>
          <ButtonLink to="/">Sign in</ButtonLink>
        </>
      ) : (
        <form onSubmit={form.onSubmit((values) => reset.mutate(values))}>
          <Stack gap="md">
            <FormError error={reset.error} />
            <SecretInput
              label="New password"
              autoComplete="new-password"
              required
              {...form.getInputProps("newPassword")}
            />
            <Button type="submit" loading={reset.isPending}>
              Set password
            </Button>
            <ToSignIn />
          </Stack>
        </form>
      )}
    </SignedOutPage>
  );
}
