import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { testService } from '../../server/src/testing.ts'
import { root } from '../sources.ts'

const files = [
  'deploy/prometheus/alerts.yaml',
  'deploy/prometheus/alerts.test.yaml',
  'deploy/grafana/dashboard.json',
  'deploy/helm/diorama/templates/worker.yaml',
  'docs/capacity.md',
  'docs/operating.md',
]

/** Names of metrics in a text; what follows a name in a query, such as a bracket, ends it. */
const metricsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/\bdiorama_[a-z0-9_]+(?=[\s`{)[\]:,;.]|$)/g)].map(([name]) => name)),
]

/** The names that a page of metrics declares: a histogram has three. */
const declaredIn = (page: string): Set<string> =>
  new Set(
    [...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  )

describe('the metrics that an operator builds on', () => {
  it('exist: each one that alerts, dashboard, chart and handbook name is on /metrics', async () => {
    await using service = await testService()
    const { status, text } = await service.call('GET', '/metrics', undefined, { key: null })
    assert.equal(status, 200)
    const declared = declaredIn(text)
    assert.ok(declared.has('diorama_http_request_seconds_bucket'), 'a page that nothing can be read from')
    for (const file of files) {
      const named = metricsIn(readFileSync(join(root, file), 'utf8'))
      assert.ok(named.length > 0, file)
      assert.deepEqual(
        named.filter((name) => !declared.has(name)),
        [],
        file,
      )
    }
    assert.deepEqual(metricsIn('rate(diorama_no_such_total{a="b"}[5m])'), ['diorama_no_such_total'])
  })

  it('say what a node draws on, and what waits for workers', async () => {
    await using service = await testService({ roles: ['api', 'twins'] })
    const { text } = await service.call('GET', '/metrics')
    const read = (name: string): number => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
    assert.ok(read('diorama_database_connections_max') > 0)
    assert.ok(read('diorama_disk_free_bytes') > 0)
    assert.ok(read('diorama_disk_size_bytes') >= read('diorama_disk_free_bytes'))
    assert.equal(read('diorama_node_leased'), 1)
    assert.equal(read('diorama_trial_slots'), 0)
    assert.equal(read('diorama_trials_queued'), 0)
    assert.match(text, /^diorama_trial_attempts_total\{outcome="passed"\} 0$/m)
  })
})
