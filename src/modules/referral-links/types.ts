import type { Id } from "../../kernel/ids.ts";

/** An accounting system that organisations are referred to. */
export interface Partner {
  readonly partner: string;
  readonly name: string;
  /** Names the partner in the token of a link. */
  readonly linkId: Id<"rfl">;
  /** The address at which people sign up. */
  readonly signUpUrl: string;
}

/** How often people followed an organisation's link to a partner, and how many of them signed up. */
export interface ReferralCount {
  readonly partner: string;
  readonly clicks: number;
  readonly signUps: number;
}
