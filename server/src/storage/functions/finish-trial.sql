-- Writes the outcome of the attempt that its holder still has, owns the blobs it names and, where the trial is over by
-- it, reports so and settles the evaluation. A voided attempt is added to the list of them. Events get their numbers under the
-- lock of the evaluation, so that a reader who has seen one has seen all before it. A trial that goes back to the queue of a
-- cancelled evaluation is cancelled with it. Answers lost, kept, or ended when the evaluation is over by it.
create or replace function finish_trial(run text, trial text, tried integer, holder text, outcome jsonb)
returns text language plpgsql as $$
declare
  cancelled boolean;
  voided jsonb := outcome -> 'voided';
begin
  select j.status = 'cancelled' into cancelled from eval_jobs j where j.id = run for no key update;
  if cancelled and outcome ->> 'status' = 'queued' then
    outcome := jsonb_build_object('status', 'cancelled', 'finished_at', clock_timestamp());
  end if;
  update eval_trials t set (status, error, cause, passed, scores, steps, usage, output, artifacts, world_sha256,
      isolation, trace_id, finished_at, duration_ms, retry_at)
    = (select o.status, o.error, o.cause, o.passed, o.scores, o.steps, o.usage, o.output, o.artifacts, o.world_sha256,
      o.isolation, o.trace_id, o.finished_at, o.duration_ms, o.retry_at from jsonb_populate_record(t, outcome) as o),
      unasked_changes = coalesce(outcome -> 'unasked_changes', t.unasked_changes),
      variant_detail = coalesce(outcome -> 'variant_detail', t.variant_detail),
      voided_attempts = case when voided is null then t.voided_attempts else t.voided_attempts || voided end,
      lease_holder = null, lease_until = null
    where t.id = trial and t.attempt = tried and t.lease_holder = holder and t.status in ('running', 'scoring');
  if not found then return 'lost'; end if;
  insert into blob_owners (sha256, owner)
    select named.sha256, 'trial ' || trial from (
      select outcome ->> 'world_sha256' as sha256
      union select artifact ->> 'sha256' from jsonb_array_elements(outcome -> 'artifacts') as artifact) as named
    where named.sha256 is not null on conflict do nothing;
  if outcome ->> 'status' not in ('succeeded', 'failed', 'errored', 'cancelled') then return 'kept'; end if;
  insert into eval_events (job_id, type, trial_id, status, at)
    values (run, 'trial_finished', trial, outcome ->> 'status', clock_timestamp());
  return case when settle_run(run) then 'ended' else 'kept' end;
end $$;
