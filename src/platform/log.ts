import pino from "pino";

/** Structured log: JSON lines on stdout; ids only, never secrets, tokens, account numbers or bodies (design 8). */
export type Log = pino.Logger;

/** `level` as in contract 2, LOG_LEVEL. */
export const createLog = (level: string): Log =>
  pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  });
