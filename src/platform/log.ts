import pino from "pino";
import { traceId } from "./tracing.ts";

/** Structured log: JSON lines on stdout; ids only, never secrets, tokens, account numbers or bodies (interface 11.1). */
export type Log = pino.Logger;

/** Lines are collected for 100 ms or up to 4096 bytes: writing each line alone takes a tenth of a request's time. */
const GATHER = { sync: false, minLength: 4096, periodicFlush: 100 };

/**
 * `level` as in interface 11.1, LOG_LEVEL. All lines are written before the process ends, unless it is killed;
 * elsewhere than on stdout with `to`.
 */
export const createLog = (level: string, to?: pino.DestinationStream): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin() {
        const id = traceId();
        return id === null ? {} : { traceId: id };
      },
      formatters: { level: (label) => ({ level: label }) },
    },
    to ?? pino.destination(GATHER),
  );
