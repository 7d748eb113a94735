import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const migration: Migration = { up }

/**
 * Attempts are limited where they are counted: at the claim. A trial whose worker crashed is leased again only while it
 * has attempts left and its run was not cancelled; otherwise the claim ends it. Every attempt that was voided is kept
 * with its cause. The rows of ended trials are also the outbox of their traces and runs (`recorded_at`).
 */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table eval_trials
      add column voided_attempts jsonb not null default '[]',
      add column retry_at timestamptz,
      add column recorded_at timestamptz`.execute(db)
  await sql`update eval_trials set recorded_at = finished_at where finished_at is not null`.execute(db)
  await sql`
    create index eval_trials_unrecorded on eval_trials (finished_at)
    where recorded_at is null and trace_id is not null`.execute(db)
  for (const statement of [endLapsedTrials, leaseTrials, finishTrial]) await sql.raw(statement).execute(db)
}

const lapsed = `t.status in ('running', 'scoring') and t.lease_until <= clock_timestamp()`

const voidedByLapse = `jsonb_build_object('attempt', t.attempt, 'cause', 'platform', 'at', clock_timestamp(),
  'error', 'The service stopped or lost its lease while this attempt was running.')`

/** Ends the trials whose worker is gone and that must not be leased again. Called under the lock of the claims. */
const endLapsedTrials = `
create function end_lapsed_trials(max_attempts integer) returns void language plpgsql as $$
declare
  runs text[];
  run text;
begin
  select array_agg(distinct t.job_id order by t.job_id) into runs
    from eval_trials t join eval_jobs j on j.id = t.job_id
    where ${lapsed} and (j.status = 'cancelled' or t.attempt >= max_attempts);
  if runs is null then return; end if;
  perform 1 from eval_jobs j where j.id = any(runs) order by j.id for no key update;
  with ended as (
    update eval_trials t set
      status = case when j.status = 'cancelled' then 'cancelled' else 'errored' end,
      cause = 'platform',
      error = case when j.status = 'cancelled' then 'The run was cancelled while the service was down.'
        else 'The service stopped or lost its lease during each of the ' || t.attempt || ' attempts at this trial.' end,
      voided_attempts = t.voided_attempts || ${voidedByLapse},
      finished_at = clock_timestamp(), lease_holder = null, lease_until = null
    from eval_jobs j
    where j.id = t.job_id and t.job_id = any(runs) and ${lapsed}
      and (j.status = 'cancelled' or t.attempt >= max_attempts)
    returning t.id, t.job_id, t.status, t.position
  )
  insert into eval_events (job_id, type, trial_id, status, at)
    select e.job_id, 'trial_finished', e.id, e.status, clock_timestamp() from ended e order by e.position;
  foreach run in array runs loop perform settle_run(run); end loop;
end $$`

/**
 * Leases trials that may run now to a worker: queued ones and those whose worker is gone, within the concurrency of
 * their run and of their organization. Runs take turns, so that a large one does not keep a small one waiting. Claims
 * are serialised by an advisory lock, so that no limit is passed by a race.
 */
const leaseTrials = `
create function lease_trials(claimer text, max_trials integer, lease_ms double precision, max_attempts integer)
returns setof eval_trials language plpgsql as $$
declare
  chosen text[];
  runs text[];
begin
  perform pg_advisory_xact_lock(hashtextextended('trial claims', 0));
  perform end_lapsed_trials(max_attempts);
  with busy as (
    select organization_id, job_id, count(*)::integer as trials from eval_trials
    where status in ('running', 'scoring') and lease_until > clock_timestamp() group by 1, 2
  ), candidate as (
    select t.id, j.id as job_id, j.organization_id, j.created_at, t.position,
      row_number() over (partition by j.id order by t.position) as turn
    from eval_jobs j
    left join busy on busy.job_id = j.id
    cross join lateral (
      select o.id, o.position from eval_trials o
      where o.job_id = j.id and case o.status
        when 'queued' then o.retry_at is null or o.retry_at <= clock_timestamp()
        when 'running' then o.lease_until <= clock_timestamp()
        when 'scoring' then o.lease_until <= clock_timestamp()
        else false end
        and o.status in ('queued', 'running', 'scoring')
      order by o.position
      limit greatest(0, least(max_trials, j.concurrency - coalesce(busy.trials, 0)))) as t
    where j.finished_at is null and j.status in ('queued', 'running')
  ), ranked as (
    select c.*, row_number() over (partition by c.organization_id order by turn, created_at, position) as place
    from candidate c
  ), permitted as (
    select ranked.id, ranked.job_id from ranked join organizations o on o.id = ranked.organization_id
    where place <= coalesce((o.limits ->> 'concurrent_trials')::integer, 256)
      - coalesce((select sum(busy.trials) from busy where busy.organization_id = o.id), 0)
    order by turn, ranked.created_at, position limit max_trials
  )
  select array_agg(p.id), array_agg(distinct p.job_id) into chosen, runs from permitted p;
  if chosen is null then return; end if;
  perform 1 from eval_jobs j where j.id = any(runs) order by j.id for no key update;
  update eval_jobs j set status = 'running', started_at = coalesce(j.started_at, clock_timestamp())
    where j.id = any(runs) and j.status = 'queued';
  with claimed as (
    update eval_trials t set status = 'running', lease_holder = claimer, attempt = t.attempt + 1, retry_at = null,
      voided_attempts = case t.status when 'queued' then t.voided_attempts
        else t.voided_attempts || ${voidedByLapse} end,
      lease_until = clock_timestamp() + lease_ms * interval '1 millisecond', started_at = clock_timestamp()
    from eval_jobs j
    where t.id = any(chosen) and j.id = t.job_id and j.status = 'running' and (t.status = 'queued' or (${lapsed}))
    returning t.id
  )
  select array_agg(c.id) into chosen from claimed c;
  insert into eval_events (job_id, type, trial_id, status, at)
    select t.job_id, 'trial_started', t.id, 'running', clock_timestamp() from eval_trials t
    where t.id = any(chosen) order by t.position;
  return query select t.* from eval_trials t where t.id = any(chosen) order by t.position;
end $$`

/**
 * Writes the outcome of the attempt that its holder still has, owns the blobs it names and, where the trial is over by
 * it, reports so and settles the run. A voided attempt is added to the list of them. Events get their numbers under the
 * lock of the run, so that a reader who has seen one has seen all before it. A trial that goes back to the queue of a
 * cancelled run is cancelled with it. Answers lost, kept, or ended when the run is over by it.
 */
const finishTrial = `
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
end $$`
