-- Statements of most requests that were functions in PL/pgSQL are plain statements, which a connection plans once and starts faster. What is
-- left to functions is what those statements need seldom (decision 211). The functions stay for processes of the release before.

/** Fails: the Idempotency-Key was claimed before. */
create function refuse_stored_key() returns void language plpgsql as $$
begin
  raise exception 'stored' using errcode = 'TEFO1';
end $$;

/** The organisation, whose clock does not move until the transaction ends. */
create function hold_clock(p_organisation text) returns organisations language plpgsql as $$
declare
  held organisations;
begin
  select * into held from organisations where id = p_organisation for share;
  return held;
end $$;

/** Refuses a statement after which an entry does not balance: what it posts or removes must balance by itself. */
create or replace function check_journal_balance() returns trigger language plpgsql as $$
declare
  unbalanced text;
begin
  if tg_op = 'INSERT' then
    -- Nearly always the lines of one entry in one currency, whose sum costs less than a sum for each entry.
    if (select sum(amount_cents) = 0 and min(entry_id) = max(entry_id) and min(currency) = max(currency) from posted) then return null; end if;
    select entry_id into unbalanced from posted group by organisation_id, entry_id, currency having sum(amount_cents) <> 0 limit 1;
  elsif tg_op = 'DELETE' then
    select entry_id into unbalanced from removed group by organisation_id, entry_id, currency having sum(amount_cents) <> 0 limit 1;
  else
    select entry_id into unbalanced
      from (select organisation_id, entry_id, currency, amount_cents from posted
            union all select organisation_id, entry_id, currency, -amount_cents from removed) changed
     group by organisation_id, entry_id, currency having sum(amount_cents) <> 0 limit 1;
  end if;
  if found then raise exception 'journal entry % does not balance', unbalanced using errcode = 'check_violation'; end if;
  return null;
end $$;
