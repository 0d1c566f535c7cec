import { runCommandLine } from "../app/cli/main.ts";

/* npm run tefo -- <command> [--json]: the operator's command line (interface 12.1). */

// A reader such as `head` may close the pipe before everything is written.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});
process.exitCode = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
});
