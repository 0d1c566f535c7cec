import { dueWork } from "../../platform/due-work.ts";

/** Tells the owners that the organisation's own trial ends soon. The subject is its id. */
export const ORGANISATION_TRIAL_ENDING = dueWork("organisation.trial_ending");
