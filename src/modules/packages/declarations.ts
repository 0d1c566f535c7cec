import { dueWork } from "../../platform/due-work.ts";

/** The features of the plan have changed: its subscribers are told what they are entitled to now. */
export const PLAN_FEATURES_CHANGED = dueWork("plan.features_changed");
