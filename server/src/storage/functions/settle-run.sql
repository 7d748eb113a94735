-- Counts what is over, for an evaluation whose row is locked; when nothing is open any more the evaluation ends, and says so once.
create or replace function settle_run(run text) returns boolean language plpgsql as $$
declare
  ended boolean;
  outcome text;
begin
  update eval_jobs j set completed_trials = counted.completed,
      finished_at = case when counted.open = 0 then clock_timestamp() end,
      status = case when j.status <> 'cancelled' and counted.open = 0 then 'succeeded' else j.status end
    from (
      select count(*) filter (where t.status in ('succeeded', 'failed', 'errored')) as completed,
        count(*) filter (where t.status in ('queued', 'running', 'scoring')) as open
      from eval_trials t where t.job_id = run) as counted
    where j.id = run returning counted.open = 0, j.status into ended, outcome;
  if ended then
    insert into eval_events (job_id, type, trial_id, status, at)
      values (run, 'run_finished', null, outcome, clock_timestamp()) on conflict do nothing;
  end if;
  return ended;
end $$;
