-- The work that announces that a card expires soon is named card.announce_expiring.
alter table due_work no force row level security;
update due_work set kind = 'card.announce_expiring', lane = 'card.announce_expiring' where kind = 'card.tell_expiring';
alter table due_work force row level security;
