import { Button, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api, got } from "../api/client.ts";
import { passkeyAnswer, passkeysWork } from "../api/passkey.ts";
import { FormError } from "../components/form.tsx";
import { Icon } from "../components/icon.tsx";
import { SecretInput } from "../components/secret-input.tsx";

/** Signs in by password, with a second step when the account has one, or by passkey. `email` fixes the account. */
export function SignInSteps({ email, done }: { readonly email?: string; done(): void }) {
  const [second, setSecond] = useState(false);
  return second ? <SecondStep done={done} /> : <FirstStep email={email} done={done} second={() => setSecond(true)} />;
}

function FirstStep({ email, done, second }: { readonly email: string | undefined; done(): void; second(): void }) {
  const form = useForm({ initialValues: { email: email ?? "", password: "" } });
  const signIn = useMutation({
    mutationFn: (body: { email: string; password: string }) => got(api.POST("/auth/sign-in/email", { body })),
    onSuccess: (answer) => (answer["twoFactorRedirect"] === true ? second() : done()),
  });
  const passkey = useMutation({
    mutationFn: async () => {
      const options = await got(api.GET("/auth/passkey/generate-authenticate-options"));
      const response = await passkeyAnswer(options);
      return got(api.POST("/auth/passkey/verify-authentication", { body: { response } }));
    },
    onSuccess: done,
  });
  return (
    <form onSubmit={form.onSubmit((values) => signIn.mutate(values))}>
      <Stack gap="md">
        <FormError error={signIn.error ?? passkey.error} title="You are not signed in" />
        <TextInput
          label="Email address"
          type="email"
          autoComplete="username"
          required
          readOnly={email !== undefined}
          {...form.getInputProps("email")}
        />
        <SecretInput
          label="Password"
          autoComplete="current-password"
          required
          data-autofocus={email !== undefined}
          {...form.getInputProps("password")}
        />
        <Button type="submit" loading={signIn.isPending}>
          Sign in
        </Button>
        {passkeysWork() && (
          <Button
            variant="default"
            leftSection={<Icon name="key" size={16} />}
            loading={passkey.isPending}
            onClick={() => passkey.mutate()}
          >
            Sign in with a passkey
          </Button>
        )}
      </Stack>
    </form>
  );
}

function SecondStep({ done }: { done(): void }) {
  const form = useForm({ initialValues: { code: "" } });
  const verify = useMutation({
    mutationFn: ({ code }: { code: string }) => {
      const body = { code: code.trim() };
      const isOneTime = /^\d{6}$/.test(body.code);
      return isOneTime
        ? got(api.POST("/auth/two-factor/verify-totp", { body }))
        : got(api.POST("/auth/two-factor/verify-backup-code", { body }));
    },
    onSuccess: done,
  });
  return (
    <form onSubmit={form.onSubmit((values) => verify.mutate(values))}>
      <Stack gap="md">
        <FormError error={verify.error} title="You are not signed in" />
        <TextInput
          label="Code"
          description="The 6-digit code from your authenticator, or a backup code."
          autoComplete="one-time-code"
          autoFocus
          required
          {...form.getInputProps("code")}
        />
        <Button type="submit" loading={verify.isPending}>
          Continue
        </Button>
      </Stack>
    </form>
  );
}
