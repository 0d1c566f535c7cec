#!/usr/bin/env node
/*
 * The command `exec` where the shell has none: cmd.exe of Windows, where npm puts it on the path of its scripts. The scripts of package.json
 * begin with `exec`, so that a signal to npm reaches the program and not a shell before it; every other system's shell has its own.
 */
const { spawn } = require("node:child_process");

/** cmd.exe finds node.cmd on the path as npm does; a bare spawn would take the Node that is installed on the machine. */
const command = process.argv
  .slice(2)
  .map((word) => (/[\s"&|<>^%()]/.test(word) ? `"${word.replaceAll('"', '""')}"` : word));
const child = spawn(command.join(" "), { stdio: "inherit", shell: true });
// The console tells both of Ctrl+C; the program decides when it ends.
for (const signal of ["SIGINT", "SIGBREAK", "SIGTERM"]) process.on(signal, () => {});
child.on("exit", (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));
