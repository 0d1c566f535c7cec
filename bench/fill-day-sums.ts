/** Fills the stored sums of days from records that were written without triggers. */
export const DAY_SUMS = `
  delete from day_sums;
  insert into day_sums (organisation_id, figure, currency, day, slot, amount_cents, records)
  select o.id, s.figure, s.currency, s.day, 0, s.amount_cents, s.records
    from organisations o cross join lateral day_sums_of(o.id, '-infinity', 'infinity') s;`;
