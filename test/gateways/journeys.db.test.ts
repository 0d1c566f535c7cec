import { runJourneys } from "./run-journeys.ts";
import { STAND_INS } from "./stand-ins.ts";

runJourneys(STAND_INS);
