import { Anchor, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { QRCodeSVG } from "qrcode.react";
import { type ReactNode, useEffect, useState } from "react";
import { api, got } from "../../api/client.ts";
import { useActing } from "../../api/session.ts";
import { FormError, useSentForm } from "../../components/form.tsx";
import { MoneyAction } from "../../components/money-action.tsx";
import { showDone } from "../../components/notice.tsx";
import { Section } from "../../components/resource-page.tsx";
import { CopyId } from "../../components/values.tsx";
import { Password } from "./password.tsx";

/** Whether signing in also asks for a code of an authenticator, and the actions to change that. */
export function TwoFactor() {
  const { twoFactor } = useActing().session.user;
  const [enrolling, setEnrolling] = useState(false);
  // The dialog belongs to the button below, which must stay until the backup codes are saved.
  const on = twoFactor && !enrolling;
  return (
    <Section
      title="Two-step verification"
      actions={
        on ? (
          <Group gap="xs">
            <WithPassword
              label="New backup codes"
              what="The codes that you have no longer work."
              path="two-factor/generate-backup-codes"
              said="Backup codes replaced"
              outcome={(answer) => <BackupCodes codes={textsOf(answer["backupCodes"])} />}
            />
            <WithPassword
              label="Turn off"
              title="Turn off two-step verification"
              what="Your password alone signs you in from now on."
              path="two-factor/disable"
              said="Two-step verification turned off"
              danger
            />
          </Group>
        ) : (
          <WithPassword
            label="Turn on"
            title="Turn on two-step verification"
            what="You get a key for an authenticator, and backup codes. It is on when you have typed its first code."
            path="two-factor/enable"
            said="Add the key to your authenticator."
            outcome={(answer) => (
              <Enrolment
                uri={String(answer["totpURI"])}
                codes={textsOf(answer["backupCodes"])}
                underWay={setEnrolling}
              />
            )}
          />
        )
      }
    >
      <Text size="sm">
        {on
          ? "It is on: after your password, signing in asks for a code of your authenticator."
          : "It is off: your password alone signs you in."}
      </Text>
    </Section>
  );
}

type Path = "two-factor/enable" | "two-factor/disable" | "two-factor/generate-backup-codes";
type Answer = Readonly<Record<string, unknown>>;

const textsOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/** A change that requires the password. */
const WithPassword = ({
  label,
  title = label,
  what,
  path,
  said,
  outcome,
  danger = false,
}: {
  readonly label: string;
  readonly title?: string;
  readonly what: string;
  readonly path: Path;
  readonly said: string;
  outcome?(answer: Answer): ReactNode;
  readonly danger?: boolean;
}) => (
  <MoneyAction
    label={label}
    title={title}
    danger={danger}
    initial={{ password: "" }}
    check={{ password: (value: string) => (value ? null : "Enter your password.") }}
    fields={(form) => <Password label="Password" {...form.getInputProps("password")} />}
    what={() => what}
    send={(body: { password: string }) => got(api.POST(`/auth/${path}`, { body })) as Promise<Answer>}
    touches={["session", "/account/sessions"]}
    said={() => said}
    {...(outcome && { outcome })}
    button={{ size: "xs", variant: "default" }}
  />
);

/** The key for the authenticator, and the code that proves that it has the key. */
function Enrolment({
  uri,
  codes,
  underWay,
}: {
  readonly uri: string;
  readonly codes: readonly string[];
  underWay(is: boolean): void;
}) {
  const [on, setOn] = useState(false);
  useEffect(() => {
    underWay(true);
    return () => underWay(false);
  }, [underWay]);
  const sent = useSentForm({
    initial: { code: "" },
    send: ({ code }: { code: string }) =>
      got(api.POST("/auth/two-factor/verify-totp", { body: { code: code.replaceAll(/\s/g, "") } })),
    touches: ["session", "/account/sessions"],
    done: () => {
      setOn(true);
      showDone("Two-step verification turned on");
    },
  });
  if (on) return <BackupCodes codes={codes} />;
  return (
    <form onSubmit={sent.submit} noValidate>
      <Stack gap="md">
        <FormError error={sent.error} title="It is not on yet" />
        <Text size="sm">
          Scan this with your authenticator, type the key below into it, or{" "}
          <Anchor href={uri} inherit underline="always">
            open it on this device
          </Anchor>
          . Then type the code that it shows.
        </Text>
        <QRCodeSVG value={uri} title="QR code of the key for your authenticator" marginSize={4} className="tefo-qr" />
        <div className="tefo-words">
          <CopyId id={new URL(uri).searchParams.get("secret") ?? ""} label="Copy the key" />
        </div>
        <TextInput
          label="Code"
          description="6-digit code"
          autoComplete="one-time-code"
          inputMode="numeric"
          required
          {...sent.form.getInputProps("code")}
        />
        <Button type="submit" loading={sent.busy} style={{ alignSelf: "flex-end" }}>
          Turn it on
        </Button>
      </Stack>
    </form>
  );
}

const BackupCodes = ({ codes }: { readonly codes: readonly string[] }) => (
  <Stack gap="xs">
    <Text size="sm">
      Keep these backup codes where you find them without your phone. Each signs you in once; they are not shown again.
    </Text>
    <pre className="tefo-words">{codes.join("\n")}</pre>
  </Stack>
);
