import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { root } from '../sources.ts'

const run = promisify(execFile)
const rules = join(root, 'deploy/prometheus')
const unit = join(root, 'deploy/systemd/diorama.service')

let folder = ''
let promtool: string | undefined

const works = (program: string, args: readonly string[]): Promise<boolean> =>
  run(program, [...args], { cwd: folder }).then(
    () => true,
    () => false,
  )

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'diorama-rules-'))
  if (await works('promtool', ['--version'])) promtool = 'promtool'
  // The package of the distribution, unpacked and not installed.
  else if (
    (await works('apt-get', ['download', 'prometheus'])) &&
    (await works('sh', ['-c', 'dpkg-deb -x prometheus_*.deb .']))
  )
    promtool = join(folder, 'usr/bin/promtool')
})
after(() => rmSync(folder, { recursive: true, force: true }))

describe('the alert rules', () => {
  it('are read by Prometheus, raise nothing in calm, and raise each alert by its fault', async (context) => {
    if (promtool === undefined) return context.skip('promtool is not there, and apt-get has no prometheus')
    await run(promtool, ['check', 'rules', join(rules, 'alerts.yaml')])
    await run(promtool, ['test', 'rules', join(rules, 'alerts.test.yaml')])
    const broken = join(folder, 'alerts.yaml')
    writeFileSync(broken, readFileSync(join(rules, 'alerts.yaml'), 'utf8').replace('> 0.02', '> 0.5'))
    writeFileSync(join(folder, 'test.yaml'), readFileSync(join(rules, 'alerts.test.yaml')))
    await assert.rejects(run(promtool, ['test', 'rules', join(folder, 'test.yaml')]))
  })
})

describe('the systemd unit', () => {
  it('is understood by systemd, and exposes little', async (context) => {
    if (!(await works('systemd-analyze', ['--version']))) return context.skip('systemd-analyze is not there')
    const copy = join(folder, 'diorama.service')
    // The program is elsewhere here, and a systemd before 254 does not know subgroups.
    const text = readFileSync(unit, 'utf8')
    writeFileSync(
      copy,
      text.replace('/usr/bin/node ', `${process.execPath} `).replace(/^DelegateSubgroup=.*\n/m, ''),
    )
    const { stderr } = await run('systemd-analyze', ['verify', copy])
    assert.equal(stderr, '')
    await run('systemd-analyze', ['security', '--offline=yes', '--threshold=40', copy])
    writeFileSync(copy, text.replace('ProtectSystem=strict', 'ProtectSistem=strict'))
    assert.match((await run('systemd-analyze', ['verify', copy])).stderr, /ProtectSistem/)
  })
})
