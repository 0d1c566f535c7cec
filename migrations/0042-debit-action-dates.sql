-- The date on which a mandate was last put into a batch: it is debited at most once a day, also when several of its dates have passed.
alter table mandates add column last_action_date date;
