import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { mergedAuthorities, openAuthority } from '../gateway/authority.ts'
import { openGateway } from '../gateway/gateway.ts'
import { openSandbox } from '../open.ts'
import { checkPrebuilt } from '../preload/story/build.mjs'
import type { Isolation, Sandbox, SandboxJob } from '../sandbox.ts'
import { jobOf } from '../testing/conformance.ts'
import { openStoryClock, type StoryClock } from './story-clock.ts'

const start = Date.UTC(2026, 0, 5, 9)

const storyOf = (moved?: () => Promise<void>) => {
  let now = start
  const advances: number[] = []
  const story = openStoryClock({
    now: () => now,
    advance: async (ms) => {
      advances.push(ms)
      now += ms
      return ms
    },
    ...(moved && { moved }),
    onFailure: (error) => assert.fail(String(error)),
  })
  const cost = (ms: number) => {
    now += ms
    story.show()
  }
  return { story, advances, cost, now: () => now }
}

/** Each waits for five minutes and prints how long that was in seconds; together in one job, since starts cost most. */
const programs = {
  shell: 's=$(date +%s); sleep 300 && echo $(($(date +%s) - s))',
  'bash with a time limit on input': `bash -c 's=$EPOCHSECONDS; read -t 300 line < <(sleep 900); echo $((EPOCHSECONDS - s))'`,
  'timers of Node': `node -e 'const s = Date.now(); setTimeout(() => console.log((Date.now() - s) / 1000), 300000)'`,
  'promises of Node': `node --input-type=module -e 'import { setTimeout as t } from "node:timers/promises"; const s = performance.now(); await t(300000); console.log(Math.round((performance.now() - s) / 1000))'`,
  'python, in five ways': `python3 waits.py`,
}
const waits = `
import asyncio, queue, select, threading, time
def say(wait):
    a, b = time.time(), time.monotonic()
    wait()
    print(round(time.time() - a), round(time.monotonic() - b))
say(lambda: time.sleep(300))
say(lambda: asyncio.run(asyncio.sleep(300)))
say(lambda: threading.Event().wait(300))
say(lambda: select.select([], [], [], 300))
try: say(lambda: queue.Queue().get(timeout=300))
except queue.Empty: print("empty")
`

const describeStory = (choice: Isolation): void => {
  describe(`Story time in a ${choice} sandbox`, () => {
    let sandbox: Sandbox
    before(async () => {
      const opened = await openSandbox({ choice, stateDir: tmpdir(), searchPath: process.env.PATH ?? '' })
      assert.ok('sandbox' in opened)
      sandbox = opened.sandbox
    })
    after(() => sandbox[Symbol.asyncDispose]())

    test('shells, Node and Python wait for minutes of the story, and no time of the wall', async () => {
      const { story, advances } = storyOf()
      await using _ = story
      const command = ['date -u +%FT%TZ', ...Object.values(programs)].join('; ')
      const outcome = await sandbox.run(jobOf(command, { story, files: { 'waits.py': waits } }))
      assert.deepEqual(outcome.stdout.text.trim().split('\n'), [
        '2026-01-05T09:00:00Z',
        ...Object.values(programs)
          .slice(0, -1)
          .map(() => '300'),
        ...Array.from({ length: 4 }, () => '300 300'),
        'empty',
      ])
      assert.equal(outcome.ended, 'exited', outcome.stderr.text)
      assert.deepEqual([...new Set(advances)], [300_000])
    })

    test('several threads and processes wake in the order of their deadlines', async () => {
      const { story, advances } = storyOf()
      await using _ = story
      const threads = `import threading, time
t = [threading.Thread(target=lambda n=n: (time.sleep(n), print(n, flush=True))) for n in (30, 10, 50)]
[x.start() for x in t]; [x.join() for x in t]`
      const command = `(sleep 40; echo 40) & (sleep 20; echo 20) & python3 -c '${threads}'; wait`
      const outcome = await sandbox.run(jobOf(command, { story }))
      assert.equal(outcome.stdout.text.replaceAll('\n', ' '), '10 20 30 40 50 ')
      assert.equal(
        advances.reduce((sum, ms) => sum + ms, 0),
        50_000,
      )
    })

    test('no wait is over before everybody has heard of the new time, however long that takes', async () => {
      const { story } = storyOf(() => delay(2_500))
      await using _ = story
      // Waits look around once a second of the wall, which is also when one of them would end too early.
      const command = `env -u LD_PRELOAD sh -c 'sleep 1.3; echo heard' & sleep 300; echo over; wait`
      assert.equal((await sandbox.run(jobOf(command, { story }))).stdout.text, 'heard\nover\n')
    })

    test('a program that never rests does not keep others waiting longer than they asked', async () => {
      const { story } = storyOf()
      await using _ = story
      const command = 'while :; do :; done & sleep 0.3; date -u +%T.%N; kill $!'
      assert.match((await sandbox.run(jobOf(command, { story }))).stdout.text, /^09:00:00\.3/)
    })

    test('a job that ends while the service is busy with its story has ended as it did', async () => {
      const { story } = storyOf()
      await using _ = story
      const ended = new Int32Array(new SharedArrayBuffer(4))
      const busy: StoryClock = Object.assign(Object.create(story), {
        path: story.path,
        idleUntil: async () => void Atomics.wait(ended, 0, 0, 1_000),
      })
      const command = 'sleep 900 & env -u LD_PRELOAD sleep 0.3; echo done'
      const outcome = await sandbox.run(jobOf(command, { story: busy }))
      assert.deepEqual([outcome.ended, outcome.exitCode, outcome.stdout.text], ['exited', 0, 'done\n'])
    })

    test('an agent’s own preload comes after ours, and ours cannot be changed by it', async () => {
      const { story } = storyOf()
      await using _ = story
      const command =
        'echo "$LD_PRELOAD"; for f in $(echo "$LD_PRELOAD:$DIORAMA_STORY_TIME" | cut -d: -f1,3 --output-delimiter=" "); do (echo x > "$f") 2>/dev/null && echo wrote; done; true'
      const env = () => ({ LD_PRELOAD: '/nowhere.so' })
      const { stdout } = await sandbox.run(jobOf(command, { story, env }))
      assert.match(stdout.text, /^\/.*\/story-time\.so:\/nowhere\.so\n$/)
    })

    test('forged reports move the story of their own trial, and nothing else', async () => {
      const mine = storyOf()
      const other = storyOf()
      await using _mine = mine.story
      await using _other = other.story
      // Every place of the table says that a process outside of the trial waits until the end of time.
      const forge = `import os, struct, time
path = os.environ["DIORAMA_STORY_TIME"].split(":")[1]
file = os.open(path, os.O_RDWR)
for n in range(1000):
    os.pwrite(file, struct.pack("=IIIIqqq", 1, ${process.pid}, ${process.pid}, 1, -5 if n % 2 else 2**62, 0, 2**40), 64 + n * 64)
time.sleep(0.2)
print("done")`
      let heard = 0
      const count = () => heard++
      process.on('SIGURG', count)
      const job: Partial<SandboxJob> = { files: { 'forge.py': forge } }
      const [forged, honest] = await Promise.all([
        sandbox.run(jobOf('python3 forge.py', { ...job, story: mine.story })),
        sandbox.run(jobOf('sleep 60; date -u +%T', { story: other.story })),
      ])
      process.off('SIGURG', count)
      assert.equal(forged.stdout.text, 'done\n', forged.stderr.text)
      assert.equal(honest.stdout.text, '09:01:00\n')
      assert.deepEqual([heard, other.advances], [0, [60_000]])
    })

    test('a client’s time limit does not pass while its request is under way, whatever the request costs', async () => {
      const stateDir = mkdtempSync(join(tmpdir(), 'story-gateway-'))
      const authority = await openAuthority({ stateDir })
      const { story, cost, advances } = storyOf()
      await using _story = story
      await using gateway = await openGateway({
        authority,
        underWay: story,
        loopbackSecret: 'secret',
        route: () => ({ kind: 'twin', service: 'chat' }),
        onRequest: async () => {
          await new Promise((resolve) => setTimeout(resolve, 300))
          cost(3_600_000)
          return { status: 200, headers: {}, body: 'late' }
        },
      })
      const network = {
        gatewaySocket: gateway.socketPath,
        hosts: ['chat.example'],
        authorities: await mergedAuthorities(authority),
        ...(gateway.loopbackUrl ? { gatewayUrl: gateway.loopbackUrl } : {}),
      }
      const program = `const begun = Date.now()
const reply = await fetch('https://chat.example/x', { signal: AbortSignal.timeout(10_000) })
console.log(await reply.text(), (Date.now() - begun) / 1000)`
      const python = `import time, urllib.request
a = time.time()
print(urllib.request.urlopen("https://chat.example/x", timeout=0.2).read().decode(), round(time.time() - a))`
      const files = { 'ask.mjs': program, 'ask.py': python }
      const outcome = await sandbox.run(jobOf('node ask.mjs; python3 ask.py', { story, network, files }))
      rmSync(stateDir, { recursive: true })
      // A program may rest for a moment before it asks; while the request is under way nothing moves but by its cost.
      assert.match(outcome.stdout.text, /^late 3600(\.\d+)?\nlate 3600\n$/, outcome.stderr.text)
      assert.ok(
        advances.every((ms) => ms < 1_000),
        `${advances}`,
      )
    })
  })
}

describeStory('bubblewrap')
describeStory('process')

/** Sleeps as Abseil does when it measures the processor; and once as any other function. */
const measuring = `#include <time.h>
static void rest(long ms) { struct timespec t = {ms / 1000, ms % 1000 * 1000000}; nanosleep(&t, 0); }
__attribute__((visibility("default"), noinline, flatten)) int NominalCPUFrequency(int n) {
  for (long ms = 1; ms <= 128; ms *= 2) rest(ms + n);
  return 1;
}
int main(int count, char **words) { NominalCPUFrequency(0); (void)words; rest(count > 1 ? 5000 : 0); return 0; }
`

test('a runtime that measures the processor by short sleeps does not move the story', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'story-measuring-'))
  try {
    writeFileSync(join(folder, 'measuring.c'), measuring)
    const { error, stderr } = spawnSync('cc', ['-O1', '-rdynamic', '-o', 'measuring', 'measuring.c'], {
      cwd: folder,
      encoding: 'utf8',
    })
    if (error) return t.skip('there is no C compiler')
    assert.equal(stderr, '')
    const { story, advances } = storyOf()
    await using _ = story
    const opened = await openSandbox({
      choice: 'process',
      stateDir: tmpdir(),
      searchPath: process.env.PATH ?? '',
    })
    assert.ok('sandbox' in opened)
    await using sandbox = opened.sandbox
    const files = { program: readFileSync(join(folder, 'measuring')).toString('base64') }
    const command = 'base64 -d program > measuring && chmod +x measuring && ./measuring && ./measuring again'
    const outcome = await sandbox.run(jobOf(command, { story, files }))
    assert.deepEqual([outcome.exitCode, outcome.stderr.text, advances], [0, '', [5_000]])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the shipped libraries are made from the source beside them', () => {
  assert.equal(checkPrebuilt(), undefined)
})
