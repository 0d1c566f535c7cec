-- What needs a person in an organisation, and the debits that were returned unpaid, a row for each kind and currency; kinds of which there is nothing have no row. `since` is the
-- oldest day, or the day that matters. Failures count since `p_from`; `p_now` is the machine's time, by which gateways are down.
create or replace function tasks_of(p_organisation text, p_from timestamptz, p_now timestamptz)
 returns table (kind text, currency text, records integer, amount_cents bigint, since date) language plpgsql stable as $$
#variable_conflict use_column
begin
  return query
  select 'disputes_open', d.currency, count(*)::integer, sum(d.amount_cents)::bigint, day_of(coalesce(min(d.respond_by), min(d.opened_at)))
    from disputes d where d.organisation_id = p_organisation and d.status = 'open' group by 2
  union all
  select 'debits_unpaid', 'ZAR', count(*)::integer, sum(t.amount_cents)::bigint, day_of(min(d.unpaid_at)) from debits d
    join transactions t on t.organisation_id = p_organisation and t.id = d.transaction_id
    left join invoices i on i.organisation_id = p_organisation and i.id = t.invoice_id
    left join payment_links l on l.organisation_id = p_organisation and l.id = d.pay_link_id
   where d.organisation_id = p_organisation and d.unpaid_at is not null
     and not coalesce(i.status not in ('sent', 'overdue', 'partially_paid'), not l.active, false)
  having count(*) > 0
  union all
  select 'endpoints_disabled', null, count(*)::integer, null::bigint, day_of(max(e.updated_at)) from webhook_endpoints e
   where e.organisation_id = p_organisation and not e.enabled and e.disabled_reason is not null having count(*) > 0
  union all
  select 'emails_failed', null, count(*)::integer, null, day_of(max(m.created_at)) from emails m
   where m.organisation_id = p_organisation and m.status = 'failed' and m.created_at >= p_from having count(*) > 0
  union all
  select 'gateways_down', null, count(*)::integer, null, day_of(max(h.last_unclear_at)) from gateway_health h
   where h.organisation_id = p_organisation and h.unclear_in_a_row >= 3 and h.last_unclear_at > p_now - interval '300 seconds'
  having count(*) > 0
  union all
  select 'batches_refused', 'ZAR', count(*)::integer, sum(b.amount_cents)::bigint, max(b.action_date) from debit_batches b
   where b.organisation_id = p_organisation and b.status = 'refused' and b.created_at >= p_from having count(*) > 0
  union all
  select 'lines_to_match', r.currency, count(*)::integer, sum(abs(i.amount_cents))::bigint, min(i.date) from reconciliation_items i
    join reconciliation_runs r on r.organisation_id = p_organisation and r.id = i.run_id
   where i.organisation_id = p_organisation and i.status = 'unmatched' and i.status <> 'matched' group by 2
  union all
  select 'proofs_to_check', o.currency, count(*)::integer, sum(o.amount_cents)::bigint, day_of(min(o.created_at)) from eft_orders o
   where o.organisation_id = p_organisation and o.status = 'awaiting_review' group by 2
  union all
  select 'mandates_pending', 'ZAR', count(*)::integer, sum(m.amount_cents)::bigint, day_of(min(m.created_at)) from mandates m
   where m.organisation_id = p_organisation and m.status = 'pending' having count(*) > 0
  union all
  select 'quotes_to_invoice', q.currency, count(*)::integer, sum(q.total_cents)::bigint, day_of(min(q.accepted_at)) from quotes q
   where q.organisation_id = p_organisation and q.status = 'accepted' group by 2
  union all
  select 'drafts_to_send', v.currency, count(*)::integer, sum(v.total_cents)::bigint, day_of(min(v.created_at)) from invoices v
   where v.organisation_id = p_organisation and v.status = 'draft' group by 2;
end $$;
