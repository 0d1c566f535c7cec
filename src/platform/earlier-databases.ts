import { createHash } from "node:crypto";
import type pg from "pg";

/* Databases that were made before version 1.0, by the migrations that the baseline stands for. */

/** The numbers of these migrations. */
const NUMBERS =
  `0001 0002 0003 0004 0005 0006 0007 0008 0009 0010 0011 0012 0014 0015 0016 0017 0018 0020 0023 0024 0025 0030
  0031 0032 0033 0034 0035 0036 0037 0038 0039 0040 0041 0042 0043 0045 0046 0047 0048 0050 0051 0055 0058 0061
  0065 0066 0067 0073 0074 0084 0090 0091 0092 0093 0094 0097 0100 0105 0108 0109 0110 0114 0115 0117 0119 0120
  0121 0122 0124 0139 0140 0141 0143 0144 0146 0150 0151 0152 0153 0160 0161 0162 0163 0170 0180 0181 0182 0183
  0184 0185 0195 0196 0200 0220 0221 0236 0241 0246 0247 0248 0249 0250 0251 0252 0253 0254 0255 0256 0257 0259
  0264 0270 0271 0272 0273 0280 0290 0291 0292 0293 0294 0296 0297 0298 0299 0300 0330 0340 0350 0351 0355 0365
  0366 0370 0371 0375 0376 0380 0385 0390 0391 0392 0395 0400 0401`.split(/\s+/);
/** SHA-256 of their names and checksums, a line each, in order. */
const DIGEST = "f4ee1a68f321e7f1b8a7d2a06532ddf2004c556bcb82927f5e1dc55673caee85";

/** What the baseline calls otherwise, and what it leaves out. */
const DIFFERENCES = `
  alter table due_work rename column ripe to is_due;
  alter table due_work rename column held to waits_for_clock;
  alter table due_work rename column meanwhile to asked_during_move;
  alter index due_work_ripe rename to due_work_due;
  alter index due_work_held rename to due_work_waiting;
  alter index due_work_meanwhile rename to due_work_asked_during_move;
  drop trigger if exists journal_lines_dated on journal_lines;
  drop function date_journal_line();
  drop function claim_idempotency_key(text, text, text);
  drop function claim_idempotency_key(text, text, text, text, bytea, timestamptz);
  drop function enqueue_due_works(text, text[], text[], timestamptz[], text[]);
  drop function renew_due_work(text, text[], text[], text[], integer)`;

/** By name, the checksums of the migrations that a database has. */
type Applied = ReadonlyMap<string, string>;

/** Whether the database was made before version 1.0. */
export const isEarlier = (applied: Applied): boolean => applied.has("0001-foundation");

/**
 * In the caller's transaction: makes of the database of an earlier version what the baseline makes, and removes its migrations from the
 * list. No row of another table changes. Throws unless all of them were applied, as they were in the last version that had them.
 */
export async function adopt(client: pg.Client, applied: Applied): Promise<void> {
  const earlier = [...applied]
    .filter(([name]) => NUMBERS.includes(name.slice(0, 4)))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const numbers = earlier.map(([name]) => name.slice(0, 4));
  const missing = NUMBERS.filter((number) => !numbers.includes(number));
  if (missing.length > 0)
    throw new Error(
      `this database is from before version 1.0 and lacks ${missing.join(", ")}. Start it once with version 0.1.0, then with this one.`,
    );
  const digest = createHash("sha256").update(earlier.map(([name, checksum]) => `${name} ${checksum}\n`).join(""));
  if (digest.digest("hex") !== DIGEST)
    throw new Error("this database is from before version 1.0, and was made by another build of it than 0.1.0.");
  await client.query(DIFFERENCES);
  await client.query("delete from migrations where name = any ($1)", [earlier.map(([name]) => name)]);
}
