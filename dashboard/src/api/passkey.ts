/** Whether this browser supports passkeys. */
export const passkeysWork = (): boolean =>
  typeof globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON === "function";

/** A passkey's answer in the API's form. */
interface PasskeyAnswer {
  readonly id: string;
  readonly rawId: string;
  readonly type: "public-key";
  readonly response: { clientDataJSON: string; authenticatorData: string; signature: string; userHandle?: string };
  readonly clientExtensionResults: Record<string, never>;
}

/** Lets the person use a passkey for these options of the API. Throws when they do not. */
export async function passkeyAnswer(options: object): Promise<PasskeyAnswer> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  const credential = await navigator.credentials.get({ publicKey }).catch(() => null);
  if (!(credential instanceof PublicKeyCredential))
    throw new Error("No passkey was used. Try again, or sign in with your password.");
  const { id, rawId, response } = credential.toJSON() as PasskeyAnswer;
  return { id, rawId, type: "public-key", response, clientExtensionResults: {} };
}

/** A new passkey in the API's form. */
interface NewPasskey {
  readonly id: string;
  readonly rawId: string;
  readonly type: "public-key";
  readonly response: { clientDataJSON: string; attestationObject: string; transports?: string[] };
  readonly clientExtensionResults: Record<string, never>;
}

/** Lets the person make a passkey for these options of the API. Throws when they do not. */
export async function newPasskey(options: object): Promise<NewPasskey> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  const credential = await navigator.credentials.create({ publicKey }).catch(() => null);
  if (!(credential instanceof PublicKeyCredential))
    throw new Error("No passkey was made. Perhaps this device holds one of yours already.");
  const { id, rawId, response } = credential.toJSON();
  if (!("attestationObject" in response)) throw new Error("The device made something that is no passkey.");
  const { clientDataJSON, attestationObject, transports } = response;
  const made = { clientDataJSON, attestationObject, ...(transports && { transports }) };
  return { id, rawId, type: "public-key", response: made, clientExtensionResults: {} };
}
