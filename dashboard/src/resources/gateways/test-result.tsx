import { Alert } from "@mantine/core";
import type { Shape } from "../../api/client.ts";

const TITLES: Readonly<Record<Shape<"GatewayTest">["result"], readonly [string, string]>> = {
  works: ["teal", "It works"],
  refused: ["red", "The gateway refuses it"],
  unclear: ["yellow", "The gateway does not answer"],
  not_asked: ["gray", "This gateway cannot be asked"],
};

/** The gateway's answer to a test. */
export function TestResult({ test: { result, message } }: { readonly test: Shape<"GatewayTest"> }) {
  const [color, title] = TITLES[result];
  return (
    <Alert color={color} title={title} role="status">
      {message}
    </Alert>
  );
}
