import type { GatewayAccountId } from "../../kernel/ids.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import { actionDateAt, CUT_OFF_DAYS } from "../../modules/debit-batches/rules.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import type { Tx } from "../../platform/database.ts";
import { currentSettings } from "../organisations/settings.ts";
import { gatewayOf } from "./accounts.ts";

/** Gateway accounts whose debits have the same cut-off; null for all. */
export interface CutOff {
  readonly days: number;
  readonly accounts: readonly GatewayAccountId[] | null;
}

/**
 * The business days between the gathering of debits and their action date: those of the settings, else those of each
 * account's gateway (interface 16.22). The longest comes first.
 */
export async function cutOffs(tx: Tx): Promise<readonly [CutOff, ...CutOff[]]> {
  const { debitOrders } = await currentSettings(tx);
  if (debitOrders.cutOffDays !== null) return [{ days: debitOrders.cutOffDays, accounts: null }];
  const accounts = (await listGatewayAccounts(tx)).map(gatewayOf).filter(({ adapter }) => adapter.debitOrders);
  const byDays = Map.groupBy(accounts, ({ adapter }) => adapter.debitOrders?.cutOffDays ?? CUT_OFF_DAYS);
  const [longest, ...others] = [...byDays]
    .map(([days, found]): CutOff => ({ days, accounts: found.map(({ account }) => account.id) }))
    .toSorted((one, other) => other.days - one.days);
  return longest ? [longest, ...others] : [{ days: CUT_OFF_DAYS, accounts: null }];
}

/** The action date of debits that are gathered `today` at the longest cut-off. */
export const latestActionDate = async (tx: Tx, today: CalendarDay): Promise<CalendarDay> =>
  actionDateAt(today, (await cutOffs(tx))[0].days);

/** The settings as shown: with the cut-off that applies, also where none is set. */
export async function withCutOff(tx: Tx, settings: Settings): Promise<Settings> {
  if (settings.debitOrders.cutOffDays !== null) return settings;
  const [{ days }] = await cutOffs(tx);
  return { ...settings, debitOrders: { ...settings.debitOrders, cutOffDays: days } };
}
