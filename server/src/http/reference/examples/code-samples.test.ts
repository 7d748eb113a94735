import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allRoutes, type RouteName, type RouteSpec } from '@diorama/contract'
import { codeSamples } from './code-samples.ts'
import { requestExamples } from './requests.ts'

const table: readonly (readonly [string, RouteSpec])[] = Object.entries(allRoutes)
/** Operations whose example reads a blueprint from a file. */
const readsBlueprint = new Set(['launchWorld', 'validateBlueprint'])

describe('the examples of the reference', () => {
  it('are in curl, TypeScript and Python for every operation, with no parameter left open', () => {
    for (const [name] of table) {
      const samples = codeSamples(name, 'http://localhost:4400')
      assert.deepEqual(
        samples.map(({ label }) => label),
        ['curl', 'TypeScript', 'Python'],
      )
      for (const { source } of samples) assert.doesNotMatch(source, /\{\w+Id\}|undefined|\[object/, name)
    }
  })

  it('send what the service takes', () => {
    for (const [name, route] of table) {
      const { body, query, file } = requestExamples[name as RouteName] ?? {}
      if (route.body && !readsBlueprint.has(name)) {
        const parsed = route.body.safeParse(body)
        assert.ok(parsed.success, `${name}: ${parsed.error?.message}`)
      }
      assert.equal(file !== undefined, route.takes !== undefined && !route.body, name)
      const asked = route.query?.safeParse(query ?? {})
      assert.ok(asked === undefined || asked.success, `${name}: ${asked?.error?.message}`)
      assert.ok(body === undefined || route.body, name)
    }
  })

  it('quote what a shell would change', () => {
    const [curl] = codeSamples('createScorer', 'http://localhost:4400')
    assert.match(curl?.source ?? '', /--data '\{\n/)
    const [query] = codeSamples('createDataset', 'http://localhost:4400')
    assert.match(
      query?.source ?? '',
      /^curl 'http:\/\/localhost:4400\/v1\/datasets\?name=Orders\+of\+March' \\\n/,
    )
  })
})
