import assert from 'node:assert/strict'
import { it } from 'node:test'
import { integration } from '@diorama/twin-kit/kernel/twin'
import { testCompany } from '@diorama/twin-kit/testing/host'
import { createScene } from '@diorama/twin-kit/variations/scene'
import { idOf, startTracker } from '../testing/world.ts'
import { tracker } from '../twin.ts'

const start = () => {
  const world = startTracker()
  const withhold = (...permissions: readonly string[]) =>
    world.instance.control(
      'withhold',
      { subjects: [integration], permissions },
      { at: testCompany.clock, baseUrl: '' },
    )
  return { ...world, withhold }
}
const offered = (instance: ReturnType<typeof start>['instance'], about: string): string[] =>
  (
    tracker.variations?.permissions?.withholdable(
      createScene(instance, { seed: '1', agent: 'mira', about }),
    ) ?? []
  ).map(({ permission }) => permission)

it('a team that was withheld is hidden like a private one, and asking for its issues is counted', () => {
  const { ask, withhold, instance, tokens } = start()
  const team = offered(instance, 'Fix the issue leak.').find((one) => one.startsWith('membership of team '))
  assert.ok(team)
  withhold(team)
  const one = 'query ($id: String!) { issue(id: $id) { id } }'
  const refused = ask(one, { id: idOf('invoice') })
  assert.match(JSON.stringify(refused.body.errors), /not found/i)
  assert.deepEqual(refused.step.withheld, [team])
  const { nodes } = ask('{ issues { nodes { team { key } } } }').body.data.issues
  assert.deepEqual([...new Set(nodes.map((issue: { team: { key: string } }) => issue.team.key))], ['ENG'])
  assert.deepEqual(
    ask('{ teams { nodes { key } } }').body.data.teams.nodes.map(({ key }: { key: string }) => key),
    ['ENG'],
  )
  assert.equal(ask(one, { id: idOf('leak') }).step.withheld, undefined)
  const other = ask(one, { id: idOf('invoice') }, tokens.lucia)
  assert.deepEqual([other.body.data.issue.id, other.step.withheld], [idOf('invoice'), undefined])
})

it('a scope that was withheld is refused by its name; teams that the task names stay', () => {
  const { ask, withhold, instance } = start()
  withhold('customer:read')
  const refused = ask('{ customers { nodes { id } } }')
  assert.match(JSON.stringify(refused.body.errors), /Invalid scope: `customer:read` required/)
  assert.deepEqual(refused.step.withheld, ['customer:read'])
  const teams = offered(instance, 'Tell Operations about the issue leak.').filter((one) => /team/.test(one))
  assert.deepEqual(teams, [])
  assert.equal(offered(instance, 'Say hello.').filter((one) => /team/.test(one)).length, 1)
})
