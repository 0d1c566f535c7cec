import { Button, Loader, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { api, got } from "../api/client.ts";
import { FormError } from "../components/form.tsx";
import { ButtonLink } from "../components/link.tsx";
import { Failure } from "../components/notice.tsx";
import { SecretInput } from "../components/secret-input.tsx";
import { useTitle } from "../components/title.ts";
import { calledRole } from "../lib/words.ts";
import { SignedOutPage, ToSignIn } from "./signed-out-page.tsx";

/** The page that an invitation's link opens. */
export function Invitation() {
  const { token } = useParams({ strict: false }) as { token: string };
  useTitle("Invitation");
  const invitation = useQuery({
    queryKey: ["invitation", token],
    queryFn: () => got(api.POST("/invitations/preview", { body: { token } })),
    retry: false,
  });
  const form = useForm({ initialValues: { name: "", password: "" } });
  const accept = useMutation({
    mutationFn: (values: { name: string; password: string }) => {
      const person = invitation.data?.needsPassword ? values : {};
      return got(api.POST("/invitations/accept", { body: { token, ...person } }));
    },
  });
  const facts = invitation.data;
  return (
    <SignedOutPage title={facts ? `Join ${facts.organisation.name}` : "Invitation"}>
      {invitation.isPending && <Loader aria-label="Loading" />}
      {invitation.isError && (
        <>
          <Failure error={invitation.error} />
          <ToSignIn />
        </>
      )}
      {accept.isSuccess && (
        <>
          <Text role="status">You are a member now.</Text>
          <ButtonLink to="/" search={{ organisation: accept.data.organisation.slug }}>
            Sign in
          </ButtonLink>
        </>
      )}
      {facts && !accept.isSuccess && (
        <form onSubmit={form.onSubmit((values) => accept.mutate(values))}>
          <Stack gap="md">
            <FormError error={accept.error} title="The invitation was not accepted" />
            <Text size="sm">
              {facts.email} is invited as {calledRole(facts)}.
            </Text>
            {facts.needsPassword && (
              <>
                <TextInput label="Your name" autoComplete="name" {...form.getInputProps("name")} />
                <SecretInput
                  label="Password"
                  autoComplete="new-password"
                  required
                  {...form.getInputProps("password")}
                />
              </>
            )}
            <Button type="submit" loading={accept.isPending}>
              Accept
            </Button>
          </Stack>
        </form>
      )}
    </SignedOutPage>
  );
}
