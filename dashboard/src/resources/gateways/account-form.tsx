import { Button, Group, MultiSelect, NativeSelect, Stack, Switch, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { Shape } from "../../api/client.ts";
import { ApiFailure } from "../../api/failure.ts";
import { BankInput } from "../../components/bank-input.tsx";
import { Fieldset, FormError, type FormOf } from "../../components/form.tsx";
import { SecretInput } from "../../components/secret-input.tsx";
import { TestResult } from "./test-result.tsx";

type Type = Shape<"GatewayType">;
type Field = Type["credentialFields"][number];

/** The values of an account's form. A credential that is left empty is not sent. */
export interface Values {
  name: string;
  mode: "live" | "sandbox";
  enabled: boolean;
  currencies: string[];
  credentials: Record<string, string>;
}

/** Currencies offered for a gateway that accepts any. */
const COMMON = ["ZAR", "USD", "EUR", "GBP", "BWP", "NAD", "KES", "NGN", "GHS"];

/** The values of a new account of a type. */
export const newValues = (type: Type, sandbox: boolean): Values => ({
  name: type.name,
  mode: sandbox || type.sandboxOnly ? "sandbox" : "live",
  enabled: true,
  currencies: type.currencies?.includes("ZAR") === false ? [...type.currencies] : ["ZAR"],
  credentials: Object.fromEntries(type.credentialFields.map(({ name }) => [name, ""])),
});

/** The credentials in the form. */
export const typedCredentials = ({ credentials }: Values): Record<string, string> =>
  Object.fromEntries(
    Object.entries(credentials)
      .map(([name, value]) => [name, value.trim()] as const)
      .filter(([, value]) => value !== ""),
  );

/** Fields of an account, with where each credential is found, and a test of the connection before it is saved. */
export function AccountFields({
  form,
  type,
  saved = false,
  set,
  test,
}: {
  readonly form: FormOf<Values>;
  readonly type: Type;
  /** Whether it is an existing account, whose mode cannot change. */
  readonly saved?: boolean;
  /** Names of the credentials that the account has. */
  readonly set: readonly string[];
  test(values: Values): Promise<Shape<"GatewayTest">>;
}) {
  return (
    <>
      <TextInput
        label="Name"
        description="Staff and customers see it."
        withAsterisk
        dir="auto"
        autoComplete="off"
        {...form.getInputProps("name")}
      />
      <Group grow align="flex-start">
        <NativeSelect
          label="Mode"
          disabled={saved}
          data={[
            ...(type.sandboxOnly ? [] : [{ value: "live", label: "Live: real money" }]),
            { value: "sandbox", label: "Sandbox: tests" },
          ]}
          {...form.getInputProps("mode")}
        />
        <MultiSelect
          label="Currencies"
          data={type.currencies ?? [...new Set([...COMMON, ...form.values.currencies])]}
          {...form.getInputProps("currencies")}
        />
      </Group>
      {type.credentialFields.length > 0 && (
        <Fieldset legend={`Credentials of ${type.name}`}>
          {type.credentialFields.map((field) => (
            <CredentialField key={field.name} form={form} field={field} set={set.includes(field.name)} />
          ))}
        </Fieldset>
      )}
      {type.canBeTested && <ConnectionTest form={form} test={test} />}
      <Switch label="Offer at checkout" {...form.getInputProps("enabled", { type: "checkbox" })} />
    </>
  );
}

/** A text of a gateway's adapter as a sentence. */
const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function CredentialField({
  form,
  field,
  set,
}: {
  readonly form: FormOf<Values>;
  readonly field: Field;
  readonly set: boolean;
}) {
  const about = [field.where && `Where it is: ${field.where}.`.replace("..", "."), field.hint]
    .filter(Boolean)
    .map((text) => sentence(String(text)))
    .join(" ");
  const props = {
    label: field.label,
    withAsterisk: field.required && !set,
    ...(about ? { description: about } : {}),
    ...form.getInputProps(`credentials.${field.name}`),
  };
  if (field.name === "bankName")
    return <BankInput {...props} fill={(branchCode) => form.setFieldValue("credentials.branchCode", branchCode)} />;
  if (field.choices)
    return (
      <NativeSelect
        {...props}
        data={[
          { value: "", label: set ? "As it is" : "Choose" },
          ...field.choices.map((value) => ({ value, label: value })),
        ]}
      />
    );
  const placeholder = set ? "Saved. Leave empty to keep" : "";
  return field.secret ? (
    <SecretInput {...props} placeholder={placeholder} autoComplete="new-password" />
  ) : (
    <TextInput {...props} placeholder={placeholder} autoComplete="off" />
  );
}

/** Asks the gateway whether it accepts the input; nothing is saved. */
function ConnectionTest({
  form,
  test,
}: {
  readonly form: FormOf<Values>;
  test(values: Values): Promise<Shape<"GatewayTest">>;
}) {
  const asked = useMutation({
    mutationFn: test,
    onError: (error) => {
      if (error instanceof ApiFailure)
        form.setErrors(Object.fromEntries(error.faults.map(({ path, message }) => [path, message])));
    },
  });
  return (
    <Stack gap="xs" align="flex-start">
      <Button variant="default" loading={asked.isPending} onClick={() => asked.mutate(form.values)}>
        Test the connection
      </Button>
      {!asked.isPending && asked.data && <TestResult test={asked.data} />}
      {!asked.isPending && <FormError error={asked.error} title="The test was not made" />}
    </Stack>
  );
}
