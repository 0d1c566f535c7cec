import { Anchor } from "@mantine/core";
import { useState } from "react";
import { useTitle } from "../components/title.ts";
import { ForgottenPassword } from "./reset-password.tsx";
import { SignInSteps } from "./sign-in-steps.tsx";
import { SignedOutPage } from "./signed-out-page.tsx";

/** The page for people who are not signed in. */
export function SignIn({ done }: { done(): void }) {
  const [forgotten, setForgotten] = useState(false);
  useTitle("Sign in");
  return (
    <SignedOutPage title={forgotten ? "Forgotten password" : "Sign in to Tefo"}>
      {forgotten ? <ForgottenPassword /> : <SignInSteps done={done} />}
      <Anchor component="button" type="button" size="sm" onClick={() => setForgotten(!forgotten)}>
        {forgotten ? "Back to the sign-in" : "Forgotten your password?"}
      </Anchor>
    </SignedOutPage>
  );
}
