import type { Services } from "../flows/services.ts";
import type { Config } from "./config.ts";
import type { Demo } from "./demo.ts";

/** Text for a person who has just started the service (interface 10.1), without the log. */
export function welcome(config: Config, { baseUrl }: Pick<Services, "baseUrl">, demo: Demo | null): string {
  if (config.process === "worker") return "Tefo works in the background: no listener, no pages.\n";
  const facts: [string, string][] = [
    ["Base URL", baseUrl],
    ["Dashboard", `${baseUrl}/dashboard`],
  ];
  if (demo) facts.push(["Sign in", demo.email], ["Password", demo.password], ["API key", demo.apiKey]);
  facts.push(["Docs", `${baseUrl}/docs`]);
  if (demo?.payUrl) facts.push(["Pay page", demo.payUrl]);
  const lines = facts.map(([name, value]) => `  ${name.padEnd(10)} ${value}`);
  if (demo) lines.push("", "Create a payment link:", "", `  ${curlLine(baseUrl, demo.apiKey)}`);
  return `\nTefo is ready.\n\n${lines.join("\n")}\n\n`;
}

const curlLine = (baseUrl: string, apiKey: string): string =>
  `curl -sS ${baseUrl}/api/v1/payment-links -H 'Authorization: Bearer ${apiKey}' ` +
  `-H 'Content-Type: application/json' -d '{"title":"Coffee","amount":35.5}'`;
