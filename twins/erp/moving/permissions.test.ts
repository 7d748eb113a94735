import assert from 'node:assert/strict'
import { it } from 'node:test'
import { integration } from '@diorama/twin-kit/kernel/twin'
import { seedFor, startInstance, testCompany } from '@diorama/twin-kit/testing/host'
import { createScene } from '@diorama/twin-kit/variations/scene'
import { rootOfSet, twinRequest } from '../testing/requests.ts'
import { testSection } from '../testing/section.ts'
import { erp } from '../twin.ts'

it('documents that an authorization is missing for are refused, and asking for them is counted', () => {
  const { instance, token } = startInstance(seedFor(erp, testSection))
  const offered = (about: string) =>
    (
      erp.variations?.permissions?.withholdable(createScene(instance, { seed: '1', agent: 'mira', about })) ??
      []
    ).map(({ permission }) => permission)
  const permission = 'display purchasing documents'
  assert.ok(offered('Move the delivery.').includes(permission))
  assert.ok(!offered('Check the purchase requisitions.').includes(permission))
  const read = (set: string) => {
    const request = twinRequest({ url: `${rootOfSet(set)}/${set}` }, token, testCompany.clock)
    const { step } = instance.handle(request, testCompany.clock)
    return { status: step.reply.status, text: String(step.reply.body), withheld: step.withheld }
  }
  assert.equal(read('A_PurchaseOrder').status, 200)
  const input = { subjects: [integration], permissions: [permission] }
  instance.control('withhold', input, { at: testCompany.clock, baseUrl: '' })
  const refused = read('A_PurchaseOrder')
  assert.deepEqual([refused.status, refused.withheld], [403, [permission]])
  assert.match(refused.text, /not authorized to display purchasing documents/)
  assert.deepEqual([read('A_SalesOrder').status, read('A_SalesOrder').withheld], [200, undefined])
})
