/** Fills the stored sums of days, and of where the money is, from records that were written without triggers. */
export const DAY_SUMS = `
  delete from day_sums;
  insert into day_sums (organisation_id, figure, currency, day, slot, amount_cents, records)
  select o.id, s.figure, s.currency, s.day, 0, s.amount_cents, s.records
    from organisations o cross join lateral day_sums_of(o.id, '-infinity', 'infinity') s;
  delete from money_sums;
  insert into money_sums (organisation_id, account, currency, held_by, slot, amount_cents)
  select o.id, s.account, s.currency, s.held_by, 0, s.amount_cents
    from organisations o cross join lateral money_sums_of(o.id) s;`;
