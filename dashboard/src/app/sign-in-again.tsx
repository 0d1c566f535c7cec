import { Anchor, Modal, Stack, Text } from "@mantine/core";
import { SignInSteps } from "./sign-in-steps.tsx";

/** A request waits for the person to sign in: the session has ended, or the change requires a new proof of identity. */
export interface Asked {
  readonly why: "ended" | "proof";
  answer(signedIn: boolean): void;
}

const WORDS = {
  ended: { title: "Your session has ended", text: "Sign in again to continue. What you typed is still there." },
  proof: { title: "Confirm it is you", text: "This change wants to know again who you are." },
} as const;

/** The sign-in over the page, which stays unchanged. */
export const SignInAgain = ({ email, asked }: { readonly email: string; readonly asked: Asked }) => (
  <Modal
    opened
    onClose={() => asked.answer(false)}
    title={WORDS[asked.why].title}
    centered
    zIndex={400}
    closeButtonProps={{ "aria-label": "Close" }}
  >
    <Stack gap="md">
      <Text size="sm">{WORDS[asked.why].text}</Text>
      <SignInSteps email={email} done={() => asked.answer(true)} />
      <Anchor href="/dashboard" size="sm">
        Sign in as somebody else
      </Anchor>
    </Stack>
  </Modal>
);
