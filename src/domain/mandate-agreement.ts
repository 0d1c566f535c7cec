/** The statuses of a mandate's agreement (interface 2.8). */
export const AGREEMENT_STATUSES = ["open", "signed", "cancelled", "expired"] as const;
export type AgreementStatus = (typeof AGREEMENT_STATUSES)[number];
