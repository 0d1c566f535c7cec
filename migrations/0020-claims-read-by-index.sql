-- Claims read due work by its indexes, whatever the statistics were when their statements were planned: that is once for each connection,
-- often while the table is empty. Scans of the whole table would cost as much as all that waits, such as for an endpoint that does not answer.
alter function claim_due_work(text, text, integer, integer, jsonb, jsonb, integer, text) set enable_seqscan = off;
