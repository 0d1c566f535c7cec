import { runJourneys } from "../run-journeys.ts";
import { standInV2 } from "./v2-stand-in.ts";

runJourneys([standInV2]);
