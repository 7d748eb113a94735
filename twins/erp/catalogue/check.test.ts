import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { serveTwin } from '@diorama/twin-kit/testing/host'
import { orderService } from '../testing/requests.ts'
import { testSection } from '../testing/section.ts'
import { erp } from '../twin.ts'

const program = fileURLToPath(new URL('./check.mjs', import.meta.url))
const check = (...args: string[]) => spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' })

describe('the check of the catalogue', () => {
  it('finds every file as its sources were read', () => {
    const { status, stderr } = check()
    assert.equal(status, 0, stderr)
  })
  it('finds a property that a metadata document does not have, and takes the document that the twin serves', async () => {
    await using host = await serveTwin(erp, testSection)
    const reply = await fetch(`${host.baseUrl}${orderService}/$metadata`, {
      headers: { authorization: `Bearer ${host.token}` },
    })
    const document = await reply.text()
    const folder = mkdtempSync(join(tmpdir(), 'erp-catalogue-'))
    try {
      const path = join(folder, 'metadata.xml')
      writeFileSync(path, document)
      const whole = check(`sales-order.json=${path}`)
      assert.equal(whole.status, 0, whole.stderr)
      writeFileSync(path, document.replaceAll('Name="PurchaseOrderByCustomer"', 'Name="Other"'))
      assert.match(
        check(`sales-order.json=${path}`).stderr,
        /A_SalesOrder has no property PurchaseOrderByCustomer String\(35\)/,
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
