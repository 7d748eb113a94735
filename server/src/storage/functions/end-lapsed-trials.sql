-- Ends the trials whose worker is gone and that must not be leased again. Any number of workers may do so at once.
create or replace function end_lapsed_trials(max_attempts integer) returns void language plpgsql as $$
declare
  runs text[];
  run text;
begin
  select array_agg(distinct t.job_id order by t.job_id) into runs
    from eval_trials t join eval_jobs j on j.id = t.job_id
    where t.status in ('running', 'scoring') and t.lease_until <= clock_timestamp()
      and (j.status = 'cancelled' or t.attempt >= max_attempts);
  if runs is null then return; end if;
  perform 1 from eval_jobs j where j.id = any(runs) order by j.id for no key update;
  with ended as (
    update eval_trials t set
      status = case when j.status = 'cancelled' then 'cancelled' else 'errored' end,
      cause = 'platform',
      error = case when j.status = 'cancelled' then 'The evaluation was cancelled while the service was down.'
        else 'The service stopped or lost its lease during each of the ' || t.attempt || ' attempts at this trial.' end,
      voided_attempts = t.voided_attempts || jsonb_build_object(
          'attempt', t.attempt, 'cause', 'platform', 'at', clock_timestamp(),
          'error', 'The service stopped or lost its lease while this attempt was running.'),
      finished_at = clock_timestamp(), lease_holder = null, lease_until = null
    from eval_jobs j
    where j.id = t.job_id and t.job_id = any(runs) and t.status in ('running', 'scoring') and t.lease_until <= clock_timestamp()
      and (j.status = 'cancelled' or t.attempt >= max_attempts)
    returning t.id, t.job_id, t.status, t.position
  )
  insert into eval_events (job_id, type, trial_id, status, at)
    select e.job_id, 'trial_finished', e.id, e.status, clock_timestamp() from ended e order by e.position;
  foreach run in array runs loop perform settle_run(run); end loop;
end $$;
