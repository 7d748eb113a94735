import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Instance } from '@diorama/twins/kernel/instance'
import { worldFile } from '../../scoring/world-file.ts'
import { testService } from '../../testing.ts'
import { stateOf } from '../../twins/records.ts'
import { sampleCompany } from '../../worlds/sample.ts'
import { openWorldTexts } from './world-texts.ts'

it('the file of a world tells each twin as it is: the seed’s own text where nothing changed, a text of its own elsewhere', async () => {
  await using service = await testService()
  const { body } = await service.call('POST', '/v1/builder/worlds', { blueprint: sampleCompany })
  const { runtime } = service.app
  const looked = await Promise.all(
    (await runtime.store.ofWorlds([body.world.id])).map((row) => runtime.twins.look(row)),
  )
  const texts = openWorldTexts()
  for (const { service: kind, instance } of looked) {
    const copy = new Instance({ seed: instance.seed, principals: [] })
    const first = texts.of({ service: kind, instance })
    assert.equal(texts.of({ service: kind, instance: copy }), first)
    const [collection = ''] = Object.keys(stateOf(kind, copy).collections)
    const key = instance.seed.tables[collection]?.rows.keys().next().value ?? ''
    copy.apply([{ collection, id: key, operation: 'delete', before: null, after: null }])
    const after = texts.of({ service: kind, instance: copy })
    const told = { ...stateOf(kind, copy) }
    assert.equal(told.diff[0]?.operation, 'delete')
    const file = JSON.parse(worldFile([{ service: kind, text: after }], []).toString())
    const expected = {
      collections: told.collections,
      keys: told.keys,
      id_field: told.idFields,
      diff: told.diff,
    }
    assert.deepEqual(file, JSON.parse(JSON.stringify({ services: { [kind]: expected }, activity: [] })))
    assert.equal(texts.of({ service: kind, instance }), first)
  }
})
