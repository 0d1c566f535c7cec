import type { OrganisationId, PaymentLinkId } from "../src/kernel/ids.ts";

/* What is in a database of the benchmark, by number, so that every process names it without being told. */

/** The organisations are numbered from 1. */
export const ORGANISATIONS = 1000;
/** Links of each organisation in a database called empty, numbered from 0: something to read. */
export const LINKS_WHEN_EMPTY = 10;

const digits = (number: number, length: number): string => String(number).padStart(length, "0");

export const organisationId = (organisation: number) => `org_${digits(organisation, 26)}` as OrganisationId;

/** Unguessable nowhere: it opens a database that lives for minutes on this machine alone. */
export const apiKey = (organisation: number): string =>
  `tefo_${organisation.toString(16).padStart(8, "0")}_${"0".repeat(43)}`;

export const linkId = (organisation: number, link: number) =>
  `plink_${digits(organisation, 16)}${digits(link, 10)}` as PaymentLinkId;

/** SQL for the same, of the integer expressions given. */
export const sqlOrganisationId = (organisation: string): string => `('org_' || lpad((${organisation})::text, 26, '0'))`;

/** As `sqlOrganisationId`. */
export const sqlLinkId = (organisation: string, link: string): string =>
  `('plink_' || lpad((${organisation})::text, 16, '0') || lpad((${link})::text, 10, '0'))`;
