import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { after, before, describe, test } from 'node:test'
import { openSandbox } from '../open.ts'
import type { Sandbox, SandboxOptions } from '../sandbox.ts'
import { jobOf } from '../testing/conformance.ts'
import { hostLayer, savedImage, sourceOf, tarOf } from '../testing/test-image.ts'
import { storyLibraryFor } from './story-in-image.ts'

const searchPath = process.env.PATH ?? ''

const open = async (rest: Partial<SandboxOptions> = {}): Promise<Sandbox> => {
  const found = await openSandbox({ choice: 'bubblewrap', stateDir: tmpdir(), searchPath, ...rest })
  if ('unavailable' in found) throw new Error(found.unavailable)
  return found.sandbox
}

describe('A container', () => {
  let sandbox: Sandbox
  before(async () => {
    sandbox = await open()
  })
  after(() => sandbox[Symbol.asyncDispose]())

  test('has the programs, variables and folder of its image, and none of this machine', async (t) => {
    const found = await sandbox.images.available()
    if ('unavailable' in found) return t.skip(found.unavailable)
    const { layer, path } = hostLayer({ programs: ['sh', 'cat', 'id', 'ls'] })
    const config = { Env: [`PATH=${path}`, 'FROM_IMAGE=yes'], WorkingDir: '/usr/bin' }
    using image = await sandbox.images.hold(sourceOf(await savedImage({ layers: [layer], config })))
    const script =
      'pwd; echo $FROM_IMAGE $HOME; id -u; echo kept > $WORK_DIR/output.txt; python3 -c 1; ls /usr/bin'
    const { exitCode, stdout, stderr, collected } = await sandbox.run(
      jobOf(script, { image, collect: { maxFiles: 2, maxBytes: 100 } }),
    )
    assert.equal(exitCode, 0, stderr.text)
    assert.match(stdout.text, /^\/usr\/bin\nyes \/home\/agent\n1000\n/)
    assert.match(stderr.text, /python3: not found/)
    assert.equal(stdout.text.split('\n').includes('tar'), false)
    assert.deepEqual(
      collected.files.map(({ path: name }) => name),
      ['output.txt'],
    )
  })

  test('lets a job change copies of folders of its image, and brings back what is asked for', async (t) => {
    const found = await sandbox.images.available()
    if ('unavailable' in found) return t.skip(found.unavailable)
    const { layer, path } = hostLayer({ programs: ['sh', 'cat', 'ls', 'rm', 'ln', 'mkdir'] })
    const files = await tarOf([
      { name: 'app', type: 'directory' },
      { name: 'app/kept.txt', content: 'from the image', mode: 0o644 },
      { name: 'app/run.sh', content: '#!/bin/sh\necho ran', mode: 0o755 },
      { name: 'app/old', type: 'directory' },
      { name: 'app/old/gone.txt', content: 'x' },
      { name: 'app/link', type: 'symlink', linkname: 'kept.txt' },
    ])
    const archive = await savedImage({ layers: [layer, files], config: { Env: [`PATH=${path}`] } })
    using image = await sandbox.images.hold(sourceOf(archive))
    const script = `pwd; ./run.sh; cat link laid.txt; ls old; echo more >> kept.txt; echo new > sub/new.txt
      echo log > /logs/verifier/reward.txt; echo x 2>/dev/null > /usr/bin/x || echo refused`
    const job = jobOf(script, {
      image,
      collect: { maxFiles: 10, maxBytes: 1_000 },
      imageUse: {
        writable: ['/app', '/logs'],
        emptied: ['/app/old', '/app/sub', '/logs/verifier'],
        files: { '/app/laid.txt': ' laid out' },
        collect: ['/app/kept.txt', '/app/sub', '/app/link', '/app/none', '/logs/verifier'],
        start: '/app',
      },
    })
    for (const _ of [1, 2]) {
      const { exitCode, stdout, stderr, collected } = await sandbox.run(job)
      assert.equal(exitCode, 0, stderr.text)
      assert.equal(stdout.text, '/app\nran\nfrom the image laid outrefused\n')
      assert.deepEqual(
        collected.files.map(({ path: name, bytes }) => [name, Buffer.from(bytes).toString()]),
        [
          ['image/app/kept.txt', 'from the imagemore\n'],
          ['image/app/sub/new.txt', 'new\n'],
          ['image/logs/verifier/reward.txt', 'log\n'],
        ],
      )
      assert.deepEqual(collected.refused, [{ path: 'image/app/link', reason: 'link' }])
    }
    for (const folder of ['/usr/bin', '/nowhere', '/app/link'])
      await assert.rejects(
        sandbox.run(jobOf('true', { image, imageUse: { writable: [folder] } })),
        /system|no folder/,
      )
  })
})

test('without the runtime that is asked for the reason is given, and no other steps in', async () => {
  await using sandbox = await open({ imageRuntime: 'runsc', searchPath: `${searchPath}:/nowhere` })
  const found = await sandbox.images.available()
  if ('unavailable' in found) assert.match(found.unavailable, /runsc (is not installed|does not work)/)
  else assert.equal(found.runtime, 'runsc')
})

test('the driver without namespaces runs no images, and says which one does', async () => {
  await using sandbox = await open({ choice: 'process' })
  const found = await sandbox.images.available()
  assert.ok('unavailable' in found)
  assert.match(found.unavailable, /DIORAMA_SANDBOX=bubblewrap/)
})

test('story time is shown where the image has a C library that can load it, and nowhere else', async () => {
  await using sandbox = await open()
  const { storyLibrary } = sandbox
  for (const glibc of [undefined, '2.1'])
    assert.equal((await storyLibraryFor({ glibc }, storyLibrary)).from, 'none')
  assert.deepEqual(await storyLibraryFor({ glibc: '2.99' }, storyLibrary), storyLibrary)
})
