-- Charges of saved cards that are pending count towards the monthly limit of payments.
create index transactions_charging on transactions (organisation_id) where status = 'pending' and type = 'card_debit';
