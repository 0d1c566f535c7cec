/*
 * Loaded before every program that npm runs, by any version of Node: prints in one line what is missing, where Node itself would print a page of
 * text.
 */
const { existsSync } = require("node:fs");
const { join } = require("node:path");

const NODE_MAJOR_MIN = 26;

function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

if (!existsSync(join(__dirname, "..", "node_modules", ".package-lock.json")))
  refuse("Nothing is installed yet. Run: npm ci");
if (Number(process.versions.node.split(".")[0]) < NODE_MAJOR_MIN)
  refuse(
    `This needs Node ${NODE_MAJOR_MIN}; it runs in ${process.version}. Run npm ci, whose install scripts bring it (npm config get ignore-scripts), or, after npm ci --omit=dev, install Node ${NODE_MAJOR_MIN} on this machine.`,
  );

// After the refusals: an older Node lacks what the rest needs.
require("./types.cjs");
