import assert from "node:assert/strict";
import { test } from "node:test";
import { outdated } from "./backups.ts";

const at = (day: string, time = "020000") => `tefo-${day}T${time}Z.age`;
const NAMES = [
  at("2026-11-29", "040000"),
  at("2026-11-29"),
  ...Array.from({ length: 20 }, (_, back) => at(`2026-11-${String(28 - back).padStart(2, "0")}`)),
  at("2026-10-31"),
  at("2026-10-30"),
  at("2025-12-31"),
  at("2025-11-30"),
];

test("backups are kept of 14 days and of 12 months, the last one of each", () => {
  const gone = outdated(NAMES);
  const kept = NAMES.filter((name) => !gone.includes(name));
  assert.deepEqual(kept, [
    at("2026-11-29", "040000"),
    ...Array.from({ length: 13 }, (_, back) => at(`2026-11-${28 - back}`)),
    at("2026-10-31"),
    at("2025-12-31"),
    at("2025-11-30"),
  ]);
});

test("with more than 12 months the older ones go, but nothing that is no backup", () => {
  const months = Array.from({ length: 20 }, (_, month) =>
    at(`20${25 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, "0")}-15`),
  );
  const others = ["tefo-2020-01-01T000000Z.age.partial", "notes.txt", "tefo-2020-01-01.age"];
  const gone = outdated([...others, ...months]);
  // Twelve months, and the fourteen days on which there is a backup.
  assert.deepEqual(gone.toSorted(), months.slice(0, 6));
});
